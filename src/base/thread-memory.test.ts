import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type MeasuredThread, ThreadMemory } from './thread-memory.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const mebibyte = 1024 * 1024;
/** Of measuring, then of comparing. */
const twoChecksMs = 200;

interface Thread extends MeasuredThread {
  jobCount: number;
  mebibytes: number;
}

/** A thread that notes its name when it is ended. */
function threadOf(name: string, mebibytes: number, ended: string[]): Thread {
  const thread: Thread = {
    jobCount: 1,
    mebibytes,
    measure: () => Promise.resolve(thread.mebibytes * mebibyte),
    makeRoom: (why) => {
      ended.push(`${name}: ${why}`);
      thread.mebibytes = 0;
    },
  };
  return thread;
}

test('of threads that have too much together the one with the most ends, and no other one', async () => {
  const memory = new ThreadMemory(100 * mebibyte);
  const ended: string[] = [];
  for (const thread of [threadOf('a', 30, ended), threadOf('b', 45, ended)]) memory.add(thread);
  await vi.advanceTimersByTimeAsync(twoChecksMs);
  expect(ended).toEqual([]);
  memory.add(threadOf('c', 40, ended));
  await vi.advanceTimersByTimeAsync(5 * twoChecksMs);
  expect(ended).toEqual([
    'b: the limit of 100 MiB for all threads and programs together was reached, and it had the most',
  ]);
});

test('a thread without a job ends first if it has its part, and does not count once it has ended', async () => {
  const memory = new ThreadMemory(100 * mebibyte);
  const ended: string[] = [];
  const idle = threadOf('idle', 40, ended);
  using counted = memory.add(idle);
  await vi.advanceTimersByTimeAsync(twoChecksMs);
  idle.jobCount = 0;
  for (const thread of [threadOf('busy', 50, ended), threadOf('small', 15, ended)]) memory.add(thread);
  await vi.advanceTimersByTimeAsync(twoChecksMs);
  expect(ended.map((text) => text.split(':')[0])).toEqual(['idle']);
  counted[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(5 * twoChecksMs);
  expect(ended).toHaveLength(1);
  expect(memory.sizeBytes).toBe(65 * mebibyte);
});

test('inside of a thread nothing ends before the process asks for that: what there is, is reported', async () => {
  const memory = new ThreadMemory(100 * mebibyte);
  const ended: string[] = [];
  let reported = 0;
  memory.onChange = (sizeBytes) => {
    reported = sizeBytes;
  };
  const counted = memory.add(threadOf('large', 120, ended));
  await vi.advanceTimersByTimeAsync(twoChecksMs);
  expect([reported, ended]).toEqual([120 * mebibyte, []]);
  memory.makeRoom();
  expect(ended).toHaveLength(1);
  counted[Symbol.dispose]();
  expect(reported).toBe(0);
});
