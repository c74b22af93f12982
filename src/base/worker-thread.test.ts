import { afterEach, expect, test, vi } from 'vitest';
import { TerminalError } from './errors.ts';
import { WorkerThread } from './worker-thread.ts';

interface TestJobs {
  readonly double: { readonly input: number; readonly result: number };
  readonly refuse: { readonly input: undefined; readonly result: undefined };
  readonly wait: { readonly input: undefined; readonly result: undefined };
  readonly linger: { readonly input: undefined; readonly result: undefined };
  readonly spin: { readonly input: undefined; readonly result: undefined };
  readonly buffer: { readonly input: number; readonly result: undefined };
  readonly report: { readonly input: string; readonly result: undefined };
}

const jobsModule = new URL('./worker-jobs.ts', import.meta.url).href;
const errorsModule = new URL('./errors.ts', import.meta.url).href;
const source = `
import { sendEvent, serveJobs } from ${JSON.stringify(jobsModule)};
import { TerminalError } from ${JSON.stringify(errorsModule)};
let leave;
serveJobs({
  double: (input) => input * 2,
  refuse: () => { throw new TerminalError('Refused', 'not this one'); },
  wait: (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  linger: (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => { leave = () => reject(signal.reason); })),
  spin: () => { for (;;); },
  buffer: async (mebibytes) => {
    const held = [];
    for (;;) {
      if (held.length < mebibytes) held.push(Buffer.alloc(2 ** 20));
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  report: (line, { onProgress }) => { onProgress(line); sendEvent({ line }); },
}, (notice) => { leave?.(); sendEvent({ notice }); });
`;

let open: WorkerThread<TestJobs>[] = [];
afterEach(async () => {
  await Promise.all(open.map((thread) => thread.close()));
  open = [];
});

const events: unknown[] = [];
function openThread(): WorkerThread<TestJobs> {
  events.length = 0;
  const thread = new WorkerThread<TestJobs>({
    url: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    name: 'test',
    heapMebibytes: 64,
    youngHeapMebibytes: 8,
    outsideMebibytes: 96,
    endedError: (why) => new Error(`ended: ${why}`),
    onEvent: (event) => events.push(event),
  });
  open.push(thread);
  return thread;
}

const options = () => ({ signal: AbortSignal.timeout(60_000) });

test('a job gives its result, or fails with the class and reason of its error, and others go on', async () => {
  const thread = openThread();
  const waiting = new AbortController();
  const aborted = thread.run('wait', undefined, { signal: waiting.signal });
  expect(await thread.run('double', 21, options())).toBe(42);
  const refused = thread.run('refuse', undefined, options());
  await expect(refused).rejects.toBeInstanceOf(TerminalError);
  await expect(refused).rejects.toMatchObject({ reason: 'Refused', message: 'not this one' });
  expect(thread.jobCount).toBe(1);
  waiting.abort(new Error('no longer needed'));
  await expect(aborted).rejects.toThrow('no longer needed');
  expect(thread.isAlive).toBe(true);
});

test('progress reaches the caller of the job; events and notices are independent of jobs', async () => {
  const thread = openThread();
  const lines: string[] = [];
  await thread.run('report', 'half', { ...options(), onProgress: (line) => lines.push(line) });
  thread.notify('granted');
  await thread.run('double', 1, options());
  expect(lines).toEqual(['half']);
  expect(events).toEqual([{ line: 'half' }, { notice: 'granted' }]);
});

test('a thread that exceeds a deadline is terminated, which fails all of its jobs', async () => {
  const thread = openThread();
  const other = thread.run('wait', undefined, options());
  const late = thread.run('spin', undefined, { ...options(), deadlineMs: 200 });
  await expect(late).rejects.toThrow('ended: it took more than 200 ms');
  await expect(other).rejects.toThrow('ended');
  expect(thread.isAlive).toBe(false);
});

test('a thread that has noticed an abort has time to end the job, and goes on with others', async () => {
  const thread = openThread();
  const stop = new AbortController();
  await thread.run('double', 1, options());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const lingering = thread.run('linger', undefined, { signal: stop.signal });
    lingering.catch(() => undefined);
    const other = thread.run('wait', undefined, options());
    other.catch(() => undefined);
    stop.abort(new Error('no longer needed'));
    // Its answer comes after the notice of the abort.
    expect(await thread.run('double', 21, options())).toBe(42);
    vi.advanceTimersByTime(20_000);
    expect(thread.isAlive).toBe(true);
    thread.notify('leave');
    await expect(lingering).rejects.toThrow('no longer needed');
    vi.advanceTimersByTime(120_000);
    expect(await thread.run('double', 2, options())).toBe(4);
  } finally {
    vi.useRealTimers();
  }
});

test('a thread that does not notice an abort is terminated', async () => {
  const thread = openThread();
  await thread.run('double', 1, options());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const stop = new AbortController();
    const busy = thread.run('spin', undefined, { signal: stop.signal });
    stop.abort(new Error('no longer needed'));
    vi.advanceTimersByTime(20_000);
    await expect(busy).rejects.toThrow('no longer needed');
    expect(thread.isAlive).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test('a job that is left on abort fails at once, though the thread is busy', async () => {
  const thread = openThread();
  await thread.run('double', 1, options());
  const stop = new AbortController();
  const left = thread.run('spin', undefined, { signal: stop.signal, isLeftOnAbort: true });
  stop.abort(new Error('stopping'));
  await expect(left).rejects.toThrow('stopping');
  expect(thread.isAlive).toBe(false);
});

test('a job that takes more memory outside of the heap than it may ends the thread', async () => {
  await expect(openThread().run('buffer', 128, options())).rejects.toThrow(
    'ended: it reached its memory limit of 96 MiB outside of the heap',
  );
});
