import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../../test/support/index.ts';
import { openMachineCluster } from '../../../test/support/machine-cluster.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { configObject, createPoolNode, poolObject } from '../../../test/support/pool-cluster.ts';
import { nodeUpdateAnnotations } from '../../api/index.ts';
import { parseYaml } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { addMachineConfigPools, machineConfigPoolController } from '../machine-config-pool/controller.ts';
import { addNodeConfig, nodeConfigController } from './controller.ts';

const user = { fieldManager: 'test' };
const operator = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterOperator', name: 'node-config' };
const file = 'crds/cluster-version/config.openshift.io_clusteroperators.yaml';

let cluster: BareCluster;
let running: AsyncDisposable;

beforeAll(async () => {
  cluster = await openMachineCluster();
  await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
  await eventually(() => cluster.kube.list({ apiVersion: operator.apiVersion, kind: operator.kind }));
  running = await runControllers(
    cluster.kube,
    (manager) => {
      addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 });
      addNodeConfig(manager, { version: '4.2.0' });
    },
    [machineConfigPoolController, nodeConfigController],
  );
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

test('CV-30: an update of the cluster waits for the control plane, and not for workers', async () => {
  const { kube } = cluster;
  for (const role of ['master', 'worker']) {
    await kube.create(configObject(`00-${role}`, role), user);
    await createPoolNode(kube, role, { role, current: 'rendered-old' });
    await kube.create(poolObject(role), user);
  }
  const { apiVersion, kind, name } = operator;
  await kube.create({ apiVersion, kind, metadata: { name }, spec: {} }, user);
  await eventually(async () => {
    const { status } = await kube.get(operator);
    expect(status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Progressing', status: 'True', message: '0 of 2 nodes updated' }),
      ]) as unknown,
    });
    expect(status).not.toHaveProperty('versions');
  });
  const keys = nodeUpdateAnnotations;
  const target = await eventually(async () => {
    const desired =
      (await kube.get({ apiVersion: 'v1', kind: 'Node', name: 'master' })).metadata.annotations?.[keys.desiredConfig] ??
      '';
    expect(desired).toMatch(/^rendered-master-/);
    return desired;
  });
  const annotations = { [keys.currentConfig]: target };
  await kube.patch({ apiVersion: 'v1', kind: 'Node', name: 'master' }, { metadata: { annotations } }, user);
  await eventually(async () => {
    const { status } = await kube.get(operator);
    expect(status).toMatchObject({ versions: [{ name: 'operator', version: '4.2.0' }] });
  });
});
