import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, eventually, openBareCluster } from '../../test/support/index.ts';
import { silentLogger, systemClock } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';
import { type ApplyEngine, createApplyEngine, type InstallRequest } from './index.ts';

const owner = { name: 'combo', uid: '00000000-0000-4000-8000-000000000001' };
const user = { fieldManager: 'someone' };
const stop = new AbortController();

let cluster: BareCluster;
let engine: ApplyEngine;

/** As after a start of the process: it knows what is recorded, and what it sees. */
function startEngine(): void {
  engine = createApplyEngine({
    kube: cluster.kube,
    systemNamespace: 'default',
    servingDeadlineMs: 1_000,
    clock: systemClock,
    log: silentLogger(),
    signal: stop.signal,
    onChange: () => undefined,
  });
}

beforeAll(async () => {
  cluster = await openBareCluster();
  startEngine();
});
afterAll(async () => {
  stop.abort();
  await cluster[Symbol.asyncDispose]();
});

const settings = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});

/** Installs a revision, from the state that the last one has left. */
async function install(
  objects: readonly KubeObject[],
  state: Pick<InstallRequest, 'recorded' | 'progress'>,
  further: Partial<InstallRequest> = {},
): Promise<Pick<InstallRequest, 'recorded' | 'progress'>> {
  let left = state;
  await engine.install({
    owner,
    revision: JSON.stringify(objects),
    objects,
    ...state,
    record: async (recorded, progress) => {
      await Promise.resolve();
      left = { recorded, progress };
    },
    isUpgrade: state.progress === 'Done',
    crdSafety: { annotations: undefined, isRestored: false },
    mayDeleteCrds: false,
    onRetained: () => undefined,
    othersIn: () => undefined,
    onNamespaceRetained: () => undefined,
    signal: stop.signal,
    ...further,
  });
  return left;
}

test('what another client creates between the check of an upgrade and its first write is not taken over', async () => {
  const none = { recorded: { kinds: [], namespaces: [] }, progress: 'NotStarted' } as const;
  const first = settings('first', { version: '1' });
  const before = await install([first], none);
  let theirs: KubeObject | undefined;
  const beforeObjects = async (): Promise<void> => {
    theirs = await cluster.kube.create(settings('second', { theirs: 'yes' }), user);
  };
  const upgrade = install([first, settings('second', { version: '2' })], before, { beforeObjects });
  await expect(upgrade).rejects.toThrow('ConfigMap "second" in namespace "default" exists');
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'second' };
  expect(await cluster.kube.get(ref)).toEqual(theirs);
});

const nothing = { recorded: { kinds: [], namespaces: [] }, progress: 'NotStarted' } as const;

/** What an installation that fails has recorded. */
async function failing(
  objects: readonly KubeObject[],
  state: Pick<InstallRequest, 'recorded' | 'progress'>,
  further: Partial<InstallRequest>,
): Promise<Pick<InstallRequest, 'recorded' | 'progress'>> {
  let left = state;
  const record: InstallRequest['record'] = async (recorded, progress) => {
    await Promise.resolve();
    left = { recorded, progress };
  };
  await expect(install(objects, state, { ...further, record })).rejects.toThrow('Not_A_Name');
  return left;
}

test.each([
  { what: 'first version', version: undefined, after: 'an error' },
  { what: 'version', version: '1', after: 'an error' },
  { what: 'version', version: '3', after: 'a restart' },
])(
  'what existed before a $what that failed while it was taken over is not deleted with the next one, after $after',
  async ({ version, after }) => {
    const adopter = {
      name: `adopter-${version ?? 'first'}`,
      uid: `00000000-0000-4000-8000-00000000000${version ?? '2'}`,
    };
    const name = (suffix: string): string => `${adopter.name}-${suffix}`;
    const further = { owner: adopter, mayAdopt: true, isUpgrade: false };
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' };
    const mine = await cluster.kube.create(settings(name('mine'), { mine: 'yes' }), user);
    const standing = settings(name('standing'), { version: '1' });
    const before = version === undefined ? nothing : await install([standing], nothing, { owner: adopter });
    const refused = settings('Not_A_Name', {});
    const abandoned = [settings(name('mine'), { version: '2' }), settings(name('new'), { version: '2' })];
    // A rollback to a version is not tried by dry run: what it has taken over stands when a later object is refused.
    const crdSafety = { annotations: undefined, isRestored: version !== undefined };
    const left = await failing([...abandoned, refused, standing], before, { ...further, crdSafety });
    expect((await cluster.kube.get({ ...ref, name: name('mine') })).metadata.ownerReferences).toHaveLength(1);
    if (after === 'a restart') startEngine();
    const reported: string[] = [];
    await install([standing], left, { owner: adopter, onFormer: (text) => reported.push(text) });
    const live = await cluster.kube.get({ ...ref, name: name('mine') });
    expect(live.metadata).toMatchObject({ uid: mine.metadata.uid });
    expect(live.metadata.ownerReferences ?? []).toEqual([]);
    expect(reported).toEqual([expect.stringContaining(`ConfigMap "${name('mine')}" in namespace "default"`)]);
    expect(reported.join('')).not.toContain(name('new'));
    await expect(cluster.kube.get({ ...ref, name: name('new') })).rejects.toThrow('not found');
  },
);

test('what was taken over by a version that was installed is deleted with the next one that does not have it', async () => {
  const adopter = { name: 'owner', uid: '00000000-0000-4000-8000-000000000009' };
  await cluster.kube.create(settings('taken', { mine: 'yes' }), user);
  const further = { owner: adopter, mayAdopt: true };
  const before = await install([settings('taken', { version: '1' })], nothing, further);
  expect(before.recorded.adopting).toBeUndefined();
  await install([settings('other', { version: '2' })], before, further);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'taken' };
  await expect(cluster.kube.get(ref)).rejects.toThrow('not found');
});

test('what an upgrade is about to take over is recorded before, and until it has come to its end', async () => {
  const adopter = { name: 'recording', uid: '00000000-0000-4000-8000-000000000010' };
  const names = Array.from({ length: 20 }, (_, index) => `existing-${index}`);
  for (const name of names) await cluster.kube.create(settings(name, { mine: 'yes' }), user);
  const before = await install([settings('recording', {})], nothing, { owner: adopter });
  const owned = async (): Promise<number> => {
    const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' });
    return items.filter(({ metadata: { name = '', labels } }) => names.includes(name) && labels !== undefined).length;
  };
  const counts: (readonly [recorded: number, owned: number])[] = [];
  const record: InstallRequest['record'] = async ({ adopting = [] }) => {
    counts.push([adopting.length, await owned()]);
  };
  const objects = names.map((name) => settings(name, { version: '2' }));
  await install(objects, before, { owner: adopter, mayAdopt: true, record });
  expect(counts.at(0)).toEqual([0, 0]);
  expect(counts.at(-2)?.[0]).toBe(20);
  expect(counts.at(-1)).toEqual([0, 20]);
  expect(counts.slice(0, -1).filter(([recorded, written]) => written > recorded)).toEqual([]);
});

test.each(['removal', 'upgrade'])(
  'a %s examines a few namespaces at a time, and has all deleted at last',
  async (what) => {
    const owner = { name: what, uid: `00000000-0000-4000-8000-00000${what}` };
    const names = Array.from({ length: 5 }, (_, index) => `${what}-${index}`);
    const namespaces = names.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    const state = await install(namespaces, nothing, { owner });
    const standing = async (): Promise<number> => {
      const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Namespace' });
      return items.filter(
        ({ metadata: { name = '', deletionTimestamp } }) => names.includes(name) && deletionTimestamp === undefined,
      ).length;
    };
    const request = {
      owner,
      inventory: state.recorded,
      isOrphaned: false,
      mayDeleteCrds: false,
      onRetained: () => undefined,
      othersIn: () => undefined,
      onNamespaceRetained: () => undefined,
      signal: stop.signal,
    };
    const step = async (): Promise<unknown> => {
      return await (what === 'removal' ? engine.uninstall(request) : install([], state, { owner }));
    };
    await expect(step()).rejects.toThrow('waiting for deletion of Namespace');
    expect(await standing()).toBe(3);
    await eventually(async () => {
      await step().catch(() => undefined);
      expect(await standing()).toBe(0);
    });
  },
);
