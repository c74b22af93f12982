import { expect, test } from 'vitest';
import type { CacheChange, KubeObject } from '../src/kube/index.ts';
import { HandOvers } from './hand-overs.ts';
import { Shards } from './shards.ts';

const handOverMs = 12_000;
const executedWithinMs = 75_000;

function inShard(shard: string, uid = 'uid'): KubeObject {
  const metadata = { name: 'app', uid, labels: { 'core.rukpak.io/shard': shard } };
  return { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', metadata };
}

/** The second of two shards, which finds `existing` when it starts; what its watch shows, and its clock. */
function second(existing: readonly KubeObject[] = []): {
  handOvers: HandOvers;
  show: (change: CacheChange<KubeObject>) => void;
  time: { nowMs: number };
} {
  const time = { nowMs: 1_000 };
  const listeners: ((change: CacheChange<KubeObject>) => void)[] = [];
  const subscribe = (listener: (change: CacheChange<KubeObject>) => void): Disposable => {
    listeners.push(listener);
    return { [Symbol.dispose]: () => undefined };
  };
  const clock = { now: () => time.nowMs, sleep: () => Promise.resolve() };
  const shards = new Shards({ index: 2, count: 2 }, { deployments: { get: () => undefined }, clock });
  const deployments = { subscribe, values: () => existing };
  const handOvers = new HandOvers({ shards, deployments, handOverMs, executedWithinMs, steady: clock });
  handOvers.start();
  const show = (change: CacheChange<KubeObject>): void => {
    for (const listener of listeners) listener(change);
  };
  return { handOvers, time, show };
}

test('a deployment that comes from another shard waits until the Lease of that has ended', () => {
  const { handOvers, show, time } = second();
  show({ before: undefined, after: inShard('1') });
  show({ before: inShard('1'), after: inShard('2') });
  time.nowMs += handOverMs - 1;
  expect(() => handOvers.begin('app')).toThrow(expect.objectContaining({ reason: 'HandOver', afterMs: 1 }));
  time.nowMs += 1;
  expect(handOvers.begin('app')?.aborted).toBe(false);
});

test('a new deployment, and one that a process finds when it starts, waits for nothing', () => {
  const { handOvers, show } = second();
  show({ before: undefined, after: inShard('2') });
  show({ before: inShard('2'), after: inShard('2') });
  expect(handOvers.begin('app')?.aborted).toBe(false);
});

test('a reconcile of a deployment that leaves for another shard ends', () => {
  const { handOvers, show } = second();
  const ending = handOvers.begin('app');
  show({ before: inShard('2'), after: inShard('1') });
  expect(ending?.reason).toMatchObject({ reason: 'Moved' });
});

test.each([
  { from: 'a process that has ended', forMs: executedWithinMs, existing: [inShard('2')], before: undefined },
  { from: 'another shard', forMs: handOverMs + executedWithinMs, existing: [], before: inShard('1') },
])('of a deployment from $from nothing is released for good while a write may be executed', (row) => {
  const { handOvers, show, time } = second(row.existing);
  show({ before: row.before, after: inShard('2') });
  time.nowMs += row.forMs - 1;
  const release = (uid: string) => () => handOvers.assertAllExecuted(inShard('2', uid));
  expect(release('uid')).toThrow(expect.objectContaining({ reason: 'Removing', afterMs: 1 }));
  expect(release('new')).not.toThrow();
  time.nowMs += 1;
  expect(release('uid')).not.toThrow();
});
