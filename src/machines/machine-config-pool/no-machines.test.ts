import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, eventually, openBareCluster } from '../../../test/support/index.ts';
import { runControllers } from '../../../test/support/olm-cluster.ts';
import { PoolActions, poolCondition } from '../../../test/support/pool-actions.ts';
import { poolRef } from '../../../test/support/pool-cluster.ts';
import { parseYaml } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { addMachineConfigPools, machineConfigPoolController } from './controller.ts';

const user = { fieldManager: 'test' };
let cluster: BareCluster;
let pools: PoolActions;

beforeAll(async () => {
  cluster = await openBareCluster();
  pools = new PoolActions(cluster.kube);
  for (const kind of ['MachineConfig', 'MachineConfigPool']) {
    const file = `crds/machines/machineconfiguration.openshift.io_${kind.toLowerCase()}s.yaml`;
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
    await eventually(() => cluster.kube.list({ apiVersion: 'machineconfiguration.openshift.io/v1', kind }));
  }
});

afterAll(() => cluster[Symbol.asyncDispose]());

test('a cluster without the kind Machine: pools are updated, an Event reports it, and machines are not replaced', async () => {
  await using _running = await runControllers(
    cluster.kube,
    (manager) => addMachineConfigPools(manager, { version: '1.0.0', delayMs: 20 }),
    [machineConfigPoolController],
  );
  const first = await pools.createPool('worker', { rollout: { action: 'MachineReplace' } });
  await pools.addNodes(1, () => ({ current: first }));
  const target = await pools.change('worker', 'two');
  await eventually(async () =>
    expect(poolCondition(await pools.poolNow('worker'), 'RolloutHeld')).toBe(
      'True InvalidSpec the action MachineReplace needs the kind Machine, which the cluster does not serve',
    ),
  );
  await eventually(async () =>
    expect(await pools.eventsOf('worker')).toContainEqual(
      expect.stringMatching(
        /^Warning NoMachineKind: the kind Machine \(machine\.openshift\.io\/v1beta1\) is not served: /,
      ),
    ),
  );
  await cluster.kube.patch(poolRef('worker'), { spec: { rollout: { action: null } } }, user);
  await eventually(async () => expect(await pools.started(target)).toEqual(['w1']));
});
