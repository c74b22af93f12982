import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BareCluster, eventually } from '../../test/support/index.ts';
import { machineObject, openMachineCluster } from '../../test/support/machine-cluster.ts';
import { temporaryNamespace } from '../../test/support/olm-cluster.ts';
import { machineResource } from '../api/index.ts';
import { type JsonObject, parseYamlDocuments } from '../base/index.ts';
import { isKubeError, type KubeObject } from '../kube/index.ts';

const user = { fieldManager: 'test' };
const place = { ...machineResource, namespace: 'machines' };

let cluster: BareCluster;
let stack: AsyncDisposableStack;

beforeAll(async () => {
  cluster = await openMachineCluster();
  const file = 'deploy/machines/objects.yaml';
  for (const object of parseYamlDocuments(file, await readFile(file, 'utf8'))) {
    await cluster.kube.create(object as unknown as KubeObject, user);
  }
  await whenGuarded();
});

afterAll(() => cluster[Symbol.asyncDispose]());

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  stack.use(await temporaryNamespace(cluster.kube, 'machines'));
  stack.defer(async () => {
    for (const { metadata } of (await cluster.kube.list(place)).items) {
      await cluster.kube.patch({ ...place, name: metadata.name ?? '' }, { metadata: { finalizers: null } }, user);
    }
  });
});

afterEach(() => stack.disposeAsync());

/** A policy takes effect some time after it was created. */
async function whenGuarded(): Promise<void> {
  await using _namespace = await temporaryNamespace(cluster.kube, 'machines');
  const object = machineObject('probe');
  object.metadata.finalizers = ['example.com/test'];
  await cluster.kube.create(object, user);
  await cluster.kube.delete({ ...place, name: 'probe' });
  let tries = 0;
  await eventually(async () => {
    tries += 1;
    const preDrain = [{ name: `Hook${tries}`, owner: 'backup-controller' }];
    const work = cluster.kube.patch({ ...place, name: 'probe' }, { spec: { lifecycleHooks: { preDrain } } }, user);
    expect(await refusalOf(work)).not.toBe('');
  });
  await cluster.kube.patch({ ...place, name: 'probe' }, { metadata: { finalizers: null } }, user);
}

const hook = (name: string, owner = 'backup-controller'): JsonObject => ({ name, owner });

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return '';
  } catch (thrown) {
    return isKubeError(thrown) ? thrown.failure.message : String(thrown);
  }
}

const setHooks = (lifecycleHooks: JsonObject): Promise<string> =>
  refusalOf(cluster.kube.patch({ ...place, name: 'a' }, { spec: { lifecycleHooks } }, user));
const create = (lifecycleHooks: JsonObject): Promise<string> =>
  refusalOf(cluster.kube.create(machineObject('a', { spec: { lifecycleHooks } }), user));

test('ML-29: hooks of a machine that is being deleted may go or change places, not come or change hands', async () => {
  const machine = machineObject('a', {
    spec: { lifecycleHooks: { preDrain: [hook('One'), hook('Two')], preTerminate: [hook('End')] } },
  });
  machine.metadata.finalizers = ['example.org/held'];
  await cluster.kube.create(machine, user);
  expect(await setHooks({ preDrain: [hook('One'), hook('Two'), hook('Three')] })).toBe('');
  expect(await setHooks({ preDrain: [hook('One'), hook('Two')] })).toBe('');
  await cluster.kube.delete({ ...place, name: 'a' });
  await eventually(async () =>
    expect(await setHooks({ preDrain: [hook('One'), hook('Two'), hook('New')] })).toContain(
      'spec.lifecycleHooks.preDrain: Forbidden: pre-drain hooks are immutable when machine is marked for deletion: the following hooks are new or changed: [{Name:New Owner:backup-controller}]',
    ),
  );
  expect(await setHooks({ preTerminate: [hook('End', 'other'), hook('More')] })).toContain(
    'spec.lifecycleHooks.preTerminate: Forbidden: pre-terminate hooks are immutable when machine is marked for deletion: the following hooks are new or changed: [{Name:End Owner:other} {Name:More Owner:backup-controller}]',
  );
  expect(await setHooks({ preDrain: [hook('Two'), hook('One')] })).toBe('');
  expect(await setHooks({ preDrain: [hook('Two')], preTerminate: null })).toBe('');
  expect(await setHooks({ preTerminate: [hook('End')] })).toContain('Forbidden');
});

test('ML-19, ML-28: the hooks of the published examples are accepted unchanged', async () => {
  const storage = 'my-custom-storage-detach-controller';
  const lifecycleHooks = {
    preDrain: [
      hook('MigrateImportantApp', 'my-app-migration-controller'),
      hook('EtcdQuorumOperator', 'clusteroperator/etcd'),
    ],
    preTerminate: [
      hook('BackupFileSystem'),
      hook('CloudProviderSpecialCase', storage),
      hook('WaitForStorageDetach', storage),
    ],
  };
  expect(await create(lifecycleHooks)).toBe('');
  expect(await cluster.kube.get({ ...place, name: 'a' })).toMatchObject({ spec: { lifecycleHooks } });
});

test('ML-30: a name may stand once in a list, and in both lists', async () => {
  expect(await create({ preDrain: [hook('Twice'), hook('Twice', 'other')] })).toContain(
    'spec.lifecycleHooks.preDrain[1]: Duplicate value: ',
  );
  expect(await create({ preDrain: [hook('Both')], preTerminate: [hook('Both')] })).toBe('');
});

test.each([
  ['a short name', hook('ab'), 'should be at least 3 chars long'],
  ['a name with a blank', hook('a b'), 'should match'],
  ['a long name', hook('a'.repeat(257)), 'may not be more than 256'],
  ['a short owner', hook('Fine', 'ab'), 'should be at least 3 chars long'],
])('ML-31: %s is refused', async (_what, wrong, text) => {
  expect(await create({ preDrain: [wrong] })).toContain(text);
});

test('ML-32: the finalizer of a machine that is not valid can be removed', async () => {
  const machine = machineObject('a', {
    labels: { none: 'none' },
    spec: { providerSpec: {}, lifecycleHooks: { preDrain: [hook('One')] } },
  });
  machine.metadata.finalizers = ['machine.machine.openshift.io'];
  await cluster.kube.create(machine, user);
  await cluster.kube.delete({ ...place, name: 'a' });
  await cluster.kube.patch({ ...place, name: 'a' }, { metadata: { finalizers: null } }, user);
  expect(await refusalOf(cluster.kube.get({ ...place, name: 'a' }))).toContain('not found');
});

test('a list has at most 256 hooks, of which one can be removed and none added', async () => {
  const some = (count: number) => Array.from({ length: count }, (_, index) => hook(`Hook${index}`));
  expect(await create({ preDrain: some(10_000) })).toContain('Too many: 10000: must have at most 256 items');
  const preDrain = some(256);
  const object = machineObject('a', { spec: { lifecycleHooks: { preDrain } } });
  object.metadata.finalizers = ['example.com/test'];
  await cluster.kube.create(object, user);
  await cluster.kube.delete({ ...place, name: 'a' });
  const without = preDrain.slice(1);
  await eventually(async () =>
    expect(await setHooks({ preDrain: [...without, hook('New')] })).toContain('{Name:New Owner:backup-controller}'),
  );
  expect(await setHooks({ preDrain: without })).toBe('');
});

test('the longest lists of the longest hooks can be removed, and nothing be added', async () => {
  const longest = Array.from({ length: 256 }, (_, index) => ({
    name: `H${String(index).padStart(255, 'x')}`,
    owner: String(index).padStart(512, 'o'),
  }));
  const object = machineObject('a', { spec: { lifecycleHooks: { preDrain: longest, preTerminate: longest } } });
  object.metadata.finalizers = ['example.com/test'];
  await cluster.kube.create(object, user);
  await cluster.kube.delete({ ...place, name: 'a' });
  const without = longest.slice(1);
  await eventually(async () =>
    expect(await setHooks({ preTerminate: [...without, hook('New')] })).toContain('{Name:New Owner:backup-controller}'),
  );
  expect(await setHooks({ preDrain: without, preTerminate: without })).toBe('');
  expect(await setHooks({ preDrain: null, preTerminate: null })).toBe('');
});
