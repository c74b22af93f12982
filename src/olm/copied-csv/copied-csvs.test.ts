import { expect, test } from 'vitest';
import {
  cluster,
  createGroup,
  createOperator,
  deleteOperator,
  eventsOf,
  expectCopy,
  expectNone,
  groupKind,
  namespaces,
  run,
  runCopiedCsvs,
  running,
  setStatus,
  setTargets,
  succeeded,
  user,
  version,
  versionKind,
  versionRef,
} from '../../../test/support/copied-csv-cluster.ts';
import { eventually } from '../../../test/support/index.ts';
import { formatTimestamp, type JsonObject } from '../../base/index.ts';

runCopiedCsvs();

test('an operator is copied to its targets, and the copies follow its status, its spec and its end', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [own, target]);
  const original = await createOperator(own);
  const copy = await expectCopy(target, own, ({ status }) => expect(status).toMatchObject({ phase: 'Succeeded' }));
  expect(copy['spec']).toEqual(original['spec']);
  expect(copy['status']).toEqual({
    ...succeeded,
    reason: 'Copied',
    message: `The operator is running in ${own} but is managing this namespace`,
  });
  expect(copy.metadata.labels).toEqual({ 'olm.copiedFrom': own, kept: 'yes' });
  expect(copy.metadata.annotations).toEqual({
    'olm.operatorGroup': 'group',
    'olm.operatorNamespace': own,
    kept: 'yes',
  });
  expect(copy.metadata.finalizers).toBeUndefined();
  await setStatus(own, { phase: 'Failed', reason: 'ComponentUnhealthy', message: 'x' });
  await expectCopy(target, own, ({ status }) => expect(status).toMatchObject({ phase: 'Failed' }));
  await cluster.kube.patch(versionRef(own), { spec: { displayName: 'Ship' } }, user);
  await expectCopy(target, own, ({ spec }) => expect(spec).toMatchObject({ displayName: 'Ship' }));
  await deleteOperator(own);
  await expectNone(target);
});

test('copies follow the targets of the group; where it selects nothing, or there is no group, none remain', async () => {
  const [own = '', first = '', second = ''] = await namespaces(3);
  await createGroup(own, [first]);
  await createOperator(own);
  await expectCopy(first, own);
  await setTargets(own, { targetNamespaces: [second] });
  await expectCopy(second, own);
  await expectNone(first);
  await setTargets(own, { targetNamespaces: null, selector: { matchLabels: { none: 'none' } } });
  await expectNone(second);
  await setTargets(own, { targetNamespaces: [second] });
  await expectCopy(second, own);
  await createGroup(own, [first], 'other');
  await setStatus(own, { phase: 'Failed', reason: 'TooManyOperatorGroups' });
  await eventually(async () => {
    const { status } = await cluster.kube.get({ ...groupKind, namespace: own, name: 'group' });
    expect((status as JsonObject)['conditions']).toHaveLength(1);
  });
  await expectCopy(second, own);
  for (const name of ['group', 'other']) await cluster.kube.delete({ ...groupKind, namespace: own, name });
  await expectNone(second);
});

test.each([
  { reason: 'InterOperatorGroupOwnerConflict', spec: {} },
  { reason: 'ComponentUnhealthy', spec: { installModes: [] } },
])('an operator that is not an active member any more ($reason) loses its copies', async ({ reason, spec }) => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [target]);
  await createOperator(own);
  await expectCopy(target, own);
  await cluster.kube.patch(versionRef(own), { spec }, user);
  await setStatus(own, { phase: 'Failed', reason });
  await expectNone(target);
});

test('copies of a global operator wait while it is being installed', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, []);
  const lastUpdateTime = formatTimestamp(Date.now() + 60_000);
  await createOperator(own, {
    name: 'ship',
    status: { phase: 'Installing', reason: 'InstallSucceeded', lastUpdateTime },
  });
  await createOperator(own);
  await expectCopy(target, own);
  // A time that is to come does not count.
  await eventually(async () => expect(await version(target, 'ship')).toBeDefined());
  await createOperator(own, {
    name: 'raft',
    status: { phase: 'Installing', reason: 'InstallSucceeded', lastUpdateTime: formatTimestamp(Date.now()) },
  });
  await createOperator(own, { name: 'ferry' });
  await eventually(async () => expect(await version(target, 'ferry')).toBeDefined());
  const early = await version(target, 'raft');
  await setStatus(own, succeeded, 'raft');
  await eventually(async () => expect(await version(target, 'raft')).toBeDefined());
  expect(early).toBeUndefined();
  // Its copies would be in the namespaces of all other tests.
  await cluster.kube.delete({ ...groupKind, namespace: own, name: 'group' });
  await expectNone(target);
});

test('what is changed in a copy by hand is reverted', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [target]);
  await createOperator(own);
  const { metadata } = await expectCopy(target, own);
  await setStatus(target, { phase: 'Failed', message: 'forged' });
  await expectCopy(target, own, ({ status }) =>
    expect(status).toMatchObject({ phase: 'Succeeded', message: expect.stringContaining('managing') as string }),
  );
  await cluster.kube.patch(versionRef(target), { spec: { displayName: 'forged' } }, user);
  await expectCopy(target, own, ({ spec }) => expect(spec).toMatchObject({ displayName: 'Boat' }));
  await cluster.kube.patch(versionRef(target), { metadata: { labels: { 'olm.copiedFrom': null } } }, user);
  await expectCopy(target, own, (copy) => expect(copy.metadata.uid).toBe(metadata.uid));
  await cluster.kube.patch(
    versionRef(target),
    { metadata: { annotations: { 'olm.operatorNamespace': 'forged' } } },
    user,
  );
  await expectCopy(target, own, (copy) => expect(copy.metadata.uid).not.toBe(metadata.uid));
  await cluster.kube.delete(versionRef(target));
  await expectCopy(target, own);
});

test('what is changed while no process runs is reverted as well', async () => {
  const [own = '', target = ''] = await namespaces(2);
  await createGroup(own, [target]);
  await createOperator(own);
  await expectCopy(target, own);
  await running[Symbol.asyncDispose]();
  await setStatus(target, { phase: 'Failed' });
  await run();
  await expectCopy(target, own, ({ status }) => expect(status).toMatchObject({ phase: 'Succeeded' }));
});

test('a ClusterServiceVersion with the label of copies that nothing is copied to is deleted, unless it was an operator', async () => {
  const [own = '', target = ''] = await namespaces(2);
  const label = { metadata: { labels: { 'olm.copiedFrom': own } } };
  const spec = { displayName: 'Forged', install: { strategy: 'deployment' } };
  await createOperator(target, { name: 'real' });
  await cluster.kube.patch(versionRef(target, 'real'), label, user);
  await cluster.kube.create(
    { ...versionKind, metadata: { namespace: target, name: 'forged', ...label.metadata }, spec },
    user,
  );
  await expectNone(target, 'forged');
  await createGroup(own, [target]);
  await createOperator(own, { name: 'real' });
  await createOperator(own);
  await expectCopy(target, own);
  const real = await version(target, 'real');
  expect(real?.metadata.deletionTimestamp).toBeUndefined();
  expect(real?.['status']).toEqual(succeeded);
});

test('an operator that gets the label of copies by mistake keeps its copies', async () => {
  const [own = '', target = '', other = ''] = await namespaces(3);
  await createGroup(own, [target]);
  await createOperator(own);
  const { metadata } = await expectCopy(target, own);
  await cluster.kube.patch(versionRef(own), { metadata: { labels: { 'olm.copiedFrom': other } } }, user);
  await createGroup(other, [target]);
  await createOperator(other, { name: 'later' });
  await eventually(async () => expect(await version(target, 'later')).toBeDefined());
  expect((await version(target))?.metadata.uid).toBe(metadata.uid);
  expect(await version(own)).toBeDefined();
  await cluster.kube.patch(versionRef(own), { metadata: { labels: { 'olm.copiedFrom': null } } }, user);
  await deleteOperator(own);
  await expectNone(target);
});

test('an operator is not copied over one of its name', async () => {
  const [own = '', target = '', free = ''] = await namespaces(3);
  await createOperator(target);
  await createGroup(own, [target, free]);
  await createOperator(own);
  await expectCopy(free, own);
  expect((await version(target))?.['status']).toEqual(succeeded);
  await deleteOperator(target);
  await expectCopy(target, own);
});

test('copies of global operators are removed where they are disabled, except in protected namespaces', async () => {
  const [own = '', target = ''] = await namespaces(2);
  const config = { apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig', name: 'cluster' };
  const set = async (disableCopiedCSVs: boolean): Promise<void> => {
    const { name, ...kind } = config;
    await cluster.kube.apply({ ...kind, metadata: { name }, spec: { features: { disableCopiedCSVs } } }, user);
  };
  await createGroup(own, []);
  await createOperator(own, { name: 'global' });
  const has = async (namespace: string, expected: boolean): Promise<void> =>
    await eventually(async () => expect((await version(namespace, 'global')) !== undefined).toBe(expected));
  await has(target, true);
  await set(true);
  await has(target, false);
  await has('protected', true);
  await eventually(async () => expect(await eventsOf(own)).toContain('DisabledCopiedCSVs'));
  await set(false);
  await has(target, true);
});

test('a new namespace gets copies of global operators', async () => {
  const [own = ''] = await namespaces(1);
  await createGroup(own, []);
  await createOperator(own, { name: 'wide' });
  const [later = ''] = await namespaces(1);
  await eventually(async () => expect(await version(later, 'wide')).toBeDefined());
  await setTargets(own, { targetNamespaces: [own] });
  await expectNone(later, 'wide');
});
