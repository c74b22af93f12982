import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { errorMessage } from '../../../src/base/index.ts';
import { fuzzInput } from './input.ts';
import { findTarget } from './targets.ts';
import type { WorkerFinding, WorkerTask } from './worker.ts';

/** An input that broke something. */
export interface FuzzFinding {
  readonly target: string;
  readonly seed: number;
  readonly number: number;
  readonly input: Buffer;
  readonly text: string;
}

/** What became of one target. */
export interface FuzzReport {
  readonly target: string;
  readonly inputs: number;
  readonly accepted: number;
  readonly findings: readonly FuzzFinding[];
}

export interface FuzzOptions {
  readonly seed: number;
  readonly forMs: number;
  /** The first number; default 0. */
  readonly first?: number;
  /** How many at most; default as many as there is time for. */
  readonly count?: number;
  /** For one input; default long enough for a busy machine. */
  readonly patienceMs?: number;
}

const defaultPatienceMs = 20_000;
const heapMebibytes = 512;
const pollMs = 100;
const notBegun = -1;
const maxFindings = 10;
/** Of one text: the next thousand add nothing. */
const maxAlike = 2;

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Runs from one number on until time is over or the worker ended; the number that ended it. */
async function runWorker(
  task: WorkerTask,
  { untilMs, patienceMs }: { readonly untilMs: number; readonly patienceMs: number },
  onFinding: (finding: WorkerFinding) => void,
): Promise<void> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: heapMebibytes },
  });
  const { counters } = task;
  let hasEnded = false;
  const underWay = (): number => Atomics.load(counters, 0);
  worker.on('message', onFinding);
  worker.on('error', (thrown) => onFinding({ number: underWay(), text: `ended the thread: ${errorMessage(thrown)}` }));
  const exited = once(worker, 'exit').then(() => {
    hasEnded = true;
  });
  let [lastNumber, sinceMs] = [notBegun, Date.now()];
  let isReported = false;
  while (!hasEnded) {
    // While the thread loads there is no input yet.
    if (underWay() !== lastNumber || lastNumber === notBegun) [lastNumber, sinceMs] = [underWay(), Date.now()];
    if (Date.now() - sinceMs > patienceMs) {
      onFinding({ number: lastNumber, text: `took longer than ${patienceMs / 1000} s` });
      await worker.terminate();
    }
    if (!isReported && Date.now() > untilMs) {
      isReported = true;
      worker.postMessage('over');
    }
    await Promise.race([exited, pause(pollMs)]);
  }
}

/** Tries inputs of one target until the time is over; a thread that hangs or dies is a finding, and goes on behind the input that did it. */
export async function fuzz(name: string, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, forMs, first = 0, count = 2 ** 31, patienceMs = defaultPatienceMs } = options;
  const target = findTarget(name);
  const counters = new Int32Array(new SharedArrayBuffer(8));
  const findings: FuzzFinding[] = [];
  const untilMs = Date.now() + forMs;
  const end = Math.min(first + count, 2 ** 31 - 1);
  const onFinding = ({ number, text }: WorkerFinding): void => {
    const kind = firstLine(text);
    if (findings.filter((one) => firstLine(one.text) === kind).length >= maxAlike) return;
    findings.push({ target: name, seed, number, text, input: fuzzInput(target, seed, number) });
  };
  let next = first;
  while (next < end && Date.now() < untilMs && findings.length < maxFindings) {
    Atomics.store(counters, 0, notBegun);
    await runWorker({ target: name, seed, first: next, end, counters }, { untilMs, patienceMs }, onFinding);
    next = Math.max(next, Atomics.load(counters, 0)) + 1;
  }
  return { target: name, inputs: next - first, accepted: Atomics.load(counters, 1), findings };
}
