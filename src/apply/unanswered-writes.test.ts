import { expect, test } from 'vitest';
import { SteppedClock } from '../../test/support/stepped-clock.ts';
import { KubeRejection, KubeUnavailable, type ObjectRef, refKey } from '../kube/index.ts';
import { UnansweredWrites } from './unanswered-writes.ts';

const owner = { name: 'app', uid: 'app-uid' };
const namespace: ObjectRef = { apiVersion: 'v1', kind: 'Namespace', name: 'app' };
const configMap: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'app', name: 'settings' };

function failure(status: number): { status: number; reason: string; message: string; causes: []; isStatus: false } {
  return { status, reason: 'Test', message: 'of the test', causes: [], isStatus: false };
}

const lost = (): Promise<never> => Promise.reject(new KubeUnavailable(failure(0)));
const refused = (): Promise<never> => Promise.reject(new KubeRejection(failure(403)));

test('a write without an answer is awaited until the API server cannot execute it any more', async () => {
  const clock = new SteppedClock(0);
  const writes = new UnansweredWrites(clock);
  await expect(writes.watch(owner, namespace, lost)).rejects.toThrow('of the test');
  expect(writes.pendingOf(owner)).toEqual({ refs: [namespace], forMs: 75_000 });
  expect(writes.isLost(refKey(namespace))).toBe(true);
  clock.jump(74_999);
  await writes.watch(owner, namespace, () => Promise.resolve());
  expect(writes.pendingOf(owner)).toEqual({ refs: [namespace], forMs: 1 });
  expect(writes.pendingOf({ name: 'app', uid: 'another' })).toBeUndefined();
  clock.jump(1);
  expect(writes.pendingOf(owner)).toBeUndefined();
  expect(writes.isLost(refKey(namespace))).toBe(false);
});

test('a write without an answer is not awaited for longer where the clock was set back', async () => {
  const clock = new SteppedClock(365 * 86_400_000);
  const writes = new UnansweredWrites(clock);
  await expect(writes.watch(owner, namespace, lost)).rejects.toThrow('of the test');
  clock.jump(-365 * 86_400_000);
  expect(writes.pendingOf(owner)).toEqual({ refs: [namespace], forMs: 75_000 });
  clock.jump(75_000);
  expect(writes.pendingOf(owner)).toBeUndefined();
});

test('nothing is awaited of an answer, whatever it is, or where the garbage collector deletes the object', async () => {
  const writes = new UnansweredWrites(new SteppedClock(0));
  await expect(writes.watch(owner, namespace, () => Promise.resolve('written'))).resolves.toBe('written');
  await expect(writes.watch(owner, namespace, refused)).rejects.toThrow('of the test');
  await expect(writes.watch(owner, configMap, lost)).rejects.toThrow('of the test');
  expect(writes.pendingOf(owner)).toBeUndefined();
});

test('a write that goes on is awaited, and not yet lost', async () => {
  const writes = new UnansweredWrites(new SteppedClock(0));
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = writes.watch(owner, namespace, () => promise);
  expect(writes.pendingOf(owner)?.refs).toEqual([namespace]);
  expect(writes.isLost(refKey(namespace))).toBe(false);
  resolve();
  await running;
  expect(writes.pendingOf(owner)).toBeUndefined();
});

test('an object that was released is awaited, whatever its kind, also where the write was sent again and answered', async () => {
  const clock = new SteppedClock(0);
  const writes = new UnansweredWrites(clock);
  await expect(writes.watch(owner, configMap, lost)).rejects.toThrow('of the test');
  const repeated = { ...configMap, name: 'repeated' };
  clock.jump(1);
  await writes.watch(owner, repeated, async (onRepeat) => {
    await Promise.resolve();
    onRepeat();
  });
  expect(writes.pendingOf(owner)).toBeUndefined();
  writes.release(owner, [configMap, repeated, namespace].map(refKey));
  expect(writes.pendingOf(owner)).toEqual({ refs: [configMap, repeated], forMs: 75_000 });
  expect(writes.isLost(refKey(repeated))).toBe(true);
  clock.jump(74_999);
  expect(writes.pendingOf(owner)).toEqual({ refs: [repeated], forMs: 1 });
  clock.jump(1);
  expect(writes.pendingOf(owner)).toBeUndefined();
});
