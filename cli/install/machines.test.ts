import { afterEach, beforeEach, expect, test } from 'vitest';
import { findObject, type KubeObject } from '../../src/kube/index.ts';
import { type BareCluster, openBareCluster } from '../../test/support/index.ts';
import { machineObject } from '../../test/support/machine-cluster.ts';
import { temporaryNamespace } from '../../test/support/olm-cluster.ts';
import { createProgress } from '../output/progress.ts';
import { applyManifests, withImage } from './apply-manifests.ts';
import { findInstalled } from './installed.ts';
import { removeLeftovers } from './leftovers.ts';
import { hasPolicies, type MachineChoice, withMachines } from './machines.ts';
import { readManifests } from './manifests.ts';
import { removeInstallation } from './removal.ts';

const signal = AbortSignal.timeout(300_000);
const rbac = 'rbac.authorization.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';

let cluster: BareCluster;
beforeEach(async () => {
  cluster = await openBareCluster();
});
afterEach(() => cluster[Symbol.asyncDispose]());

const choice: MachineChoice = { actuator: 'http://actuator.machines:9000/', hasNodeAgents: true };

async function install(machines: MachineChoice | undefined, arePoliciesServed = true): Promise<readonly KubeObject[]> {
  const plain = withImage((await readManifests('self-signed')) as unknown as KubeObject[], 'registry.example.com/l:1');
  const objects = machines === undefined ? plain : await withMachines(plain, { ...machines, arePoliciesServed });
  const options = { kube: cluster.kube, isDryRun: false, signal, onApplied: () => undefined };
  await applyManifests(objects, options);
  await removeLeftovers(objects, options);
  return objects;
}

const findClusterWide = (apiVersion: string, kind: string, name: string) =>
  findObject(cluster.kube, { apiVersion, kind, name });
const policy = (name: string) => findClusterWide(admission, 'ValidatingAdmissionPolicy', name);
const webhook = () =>
  findClusterWide(admission, 'ValidatingWebhookConfiguration', 'longshore-machine-webhook-configuration');
const agents = () =>
  findObject(cluster.kube, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    namespace: 'longshore-node-agents',
    name: 'node-agent',
  });

test('with --machines the controllers get the provider, and without it they lose the permissions; kinds and pools stay', async () => {
  expect(await hasPolicies(cluster.kube, signal)).toBe(true);
  await install(choice);
  expect((await findInstalled(cluster.kube, signal))?.machines).toEqual(choice);
  expect(await agents()).toMatchObject({
    spec: { template: { spec: { containers: [{ image: 'registry.example.com/l:1' }] } } },
  });
  expect(await policy('longshore-machine-hooks')).toBeDefined();
  expect(await policy('longshore-node-agents')).toBeDefined();
  expect(await webhook()).toBeUndefined();
  await install(undefined);
  expect((await findInstalled(cluster.kube, signal))?.machines).toBeUndefined();
  expect(await findClusterWide(rbac, 'ClusterRole', 'longshore-machines')).toBeUndefined();
  expect(await agents()).toBeUndefined();
  expect(await findClusterWide('machineconfiguration.openshift.io/v1', 'MachineConfigPool', 'worker')).toBeDefined();
});

test('a cluster without policies gets the webhook, and no agents', async () => {
  const objects = await install(choice, false);
  expect(objects.filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'))).toEqual([]);
  expect(await webhook()).toBeDefined();
  expect(await agents()).toBeUndefined();
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'rukpak-system', name: 'rukpak-webhooks' };
  expect(JSON.stringify((await cluster.kube.get(ref))['spec'])).toContain('"--machines"');
});

test('nothing is uninstalled while there are machines', async () => {
  await install({ ...choice, hasNodeAgents: false });
  await using stack = new AsyncDisposableStack();
  stack.use(await temporaryNamespace(cluster.kube, 'machines'));
  await cluster.kube.create(machineObject('a'), { fieldManager: 'test' });
  using progress = createProgress(process.stderr, { isQuiet: true });
  const uninstall = () =>
    removeInstallation({
      kube: cluster.kube,
      isDryRun: false,
      isWithContent: true,
      isWithOperators: true,
      timeoutMs: 30_000,
      progress,
      onRemoved: () => undefined,
    });
  await expect(uninstall()).rejects.toThrow('there are Machines: a. Their instances would stay');
  expect(await findInstalled(cluster.kube, signal)).toBeDefined();
  await cluster.kube.delete({
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Machine',
    namespace: 'machines',
    name: 'a',
  });
  await uninstall();
  expect(await policy('longshore-machine-hooks')).toBeUndefined();
});
