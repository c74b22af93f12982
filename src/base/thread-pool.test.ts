import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import { ThreadPool } from './thread-pool.ts';
import { WorkerThread } from './worker-thread.ts';

interface TestJobs {
  readonly name: { readonly input: undefined; readonly result: number };
  readonly wait: { readonly input: Int32Array; readonly result: number };
  readonly spin: { readonly input: undefined; readonly result: undefined };
}

const jobsModule = new URL('./worker-jobs.ts', import.meta.url).href;
const source = `
import { threadId } from 'node:worker_threads';
import { serveJobs } from ${JSON.stringify(jobsModule)};
serveJobs({
  name: () => threadId,
  wait: async (gate) => { await Atomics.waitAsync(gate, 0, 0).value; return threadId; },
  spin: () => { for (;;); },
});
`;

let threads: WorkerThread<TestJobs>[] = [];
afterEach(async () => {
  await Promise.all(threads.map((thread) => thread.close()));
  threads = [];
});

function open(): WorkerThread<TestJobs> {
  const thread = new WorkerThread<TestJobs>({
    url: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    name: 'test',
    heapMebibytes: 64,
    youngHeapMebibytes: 8,
    endedError: (why) => new Error(`ended: ${why}`),
  });
  threads.push(thread);
  return thread;
}

const options = () => ({ signal: AbortSignal.timeout(60_000) });

test('jobs one after the other share a thread, jobs at the same time have one each', async () => {
  using pool = new ThreadPool<TestJobs>(open);
  const first = await pool.run('name', undefined, options());
  expect(await pool.run('name', undefined, options())).toBe(first);
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const waiting = pool.run('wait', gate, options());
  expect(await pool.run('name', undefined, options())).not.toBe(first);
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  expect(await waiting).toBe(first);
  expect(threads).toHaveLength(2);
});

test('a thread that was terminated takes no more jobs', async () => {
  using pool = new ThreadPool<TestJobs>(open);
  const first = await pool.run('name', undefined, options());
  await expect(pool.run('spin', undefined, { ...options(), deadlineMs: 100 })).rejects.toThrow('ended: it took more');
  expect(await pool.run('name', undefined, options())).not.toBe(first);
});

test('threads without a job end: after a while, and all when the pool is closed', async () => {
  using brief = new ThreadPool<TestJobs>(open, { idleMs: 1 });
  await brief.run('name', undefined, options());
  await eventually(() => expect(threads[0]?.isAlive).toBe(false));
  const pool = new ThreadPool<TestJobs>(open);
  await pool.run('name', undefined, options());
  pool[Symbol.dispose]();
  expect(threads.map(({ isAlive }) => isAlive)).toEqual([false, false]);
});
