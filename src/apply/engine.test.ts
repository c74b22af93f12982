import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BareCluster, openBareCluster } from '../../test/support/index.ts';
import { silentLogger, systemClock } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';
import { type ApplyEngine, createApplyEngine, type InstallRequest } from './index.ts';

const owner = { name: 'combo', uid: '00000000-0000-4000-8000-000000000001' };
const user = { fieldManager: 'someone' };
const stop = new AbortController();

let cluster: BareCluster;
let engine: ApplyEngine;
beforeAll(async () => {
  cluster = await openBareCluster();
  engine = createApplyEngine({
    kube: cluster.kube,
    systemNamespace: 'default',
    servingDeadlineMs: 1_000,
    clock: systemClock,
    log: silentLogger(),
    signal: stop.signal,
    onChange: () => undefined,
  });
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
