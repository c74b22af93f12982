import { afterEach, expect, test } from 'vitest';
import { ContentThreads, neededMore, ThreadEnded } from './content-threads.ts';

interface TestJobs {
  readonly fill: {
    readonly input: { readonly mebibytes: number; readonly gate?: Int32Array };
    readonly result: number;
  };
}

const jobsModule = new URL('../base/worker-jobs.ts', import.meta.url).href;
const source = `
import { threadId } from 'node:worker_threads';
import { serveJobs } from ${JSON.stringify(jobsModule)};
const element = Array.from({ length: 2 ** 17 });
serveJobs({
  fill: async ({ mebibytes, gate }, { signal }) => {
    const held = [];
    while (held.length < mebibytes) held.push(element.slice());
    if (gate !== undefined) {
      Atomics.store(gate, 1, 1);
      Atomics.notify(gate, 1);
      while (Atomics.load(gate, 0) === 0 && !signal.aborted) await new Promise((resolve) => setImmediate(resolve));
    }
    signal.throwIfAborted();
    return held.length;
  },
});
`;

const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const gates: Int32Array[] = [];
afterEach(() => {
  for (const gate of gates.splice(0)) open(gate);
});

/** Its first value opens it; its second is 1 once a job waits there. */
function createGate(): Int32Array {
  const gate = new Int32Array(new SharedArrayBuffer(8));
  gates.push(gate);
  return gate;
}

function open(gate: Int32Array): void {
  Atomics.store(gate, 0, 1);
}

async function whenReached(gate: Int32Array): Promise<void> {
  const { value } = Atomics.waitAsync(gate, 1, 0);
  await value;
}

const options = (group = 'a', signal = AbortSignal.timeout(60_000)) => ({ group, signal });
const needsMuch = 100;

test('a job that needs much memory is done again, one at a time in the process; others do not wait for it', async () => {
  using catalogs = new ContentThreads<TestJobs>({ url, name: 'catalog' });
  using bundles = new ContentThreads<TestJobs>({ url, name: 'bundle' });
  const [first, second] = [createGate(), createGate()];
  const large = catalogs.run('fill', () => ({ mebibytes: needsMuch, gate: first }), options('a'));
  await whenReached(first);
  const next = bundles.run('fill', () => ({ mebibytes: needsMuch, gate: second }), options('b'));
  await expect(bundles.run('fill', () => ({ mebibytes: 1 }), options('b'))).resolves.toBe(1);
  const stop = new AbortController();
  const aborted = catalogs.run('fill', () => ({ mebibytes: needsMuch }), options('c', stop.signal));
  await expect(catalogs.run('fill', () => ({ mebibytes: 2 }), options('a'))).resolves.toBe(2);
  stop.abort(new Error('deleted'));
  await expect(aborted).rejects.toThrow('deleted');
  expect(Atomics.load(second, 1)).toBe(0);
  open(first);
  await expect(large).resolves.toBe(needsMuch);
  await whenReached(second);
  open(second);
  await expect(next).resolves.toBe(needsMuch);
});

test('a job that needs more memory than any thread has ends its thread alone', { tags: 'long' }, async () => {
  using threads = new ContentThreads<TestJobs>({ url, name: 'catalog' });
  const failed = await threads.run('fill', () => ({ mebibytes: 600 }), options()).catch((thrown: unknown) => thrown);
  expect(failed).toBeInstanceOf(ThreadEnded);
  expect(neededMore(failed)).toBe(true);
  await expect(threads.run('fill', () => ({ mebibytes: needsMuch }), options())).resolves.toBe(needsMuch);
});
