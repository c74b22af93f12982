import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { errorMessage } from '../../../src/base/index.ts';
import { fuzzInput } from './input.ts';
import { findTarget } from './targets.ts';
import type { FromWorker, ToWorker, WorkerFinding, WorkerTask } from './worker.ts';

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

interface TaskOptions {
  readonly untilMs: number;
  readonly patienceMs: number;
  readonly onFinding: (finding: WorkerFinding) => void;
}

/** A thread that does one task after the other. */
class FuzzThread {
  readonly #worker = new Worker(new URL('worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: heapMebibytes },
  });
  readonly #exited: Promise<unknown>;
  #underWay = (): number => notBegun;
  /** What broke after the last input of a task; the next task reports it. */
  readonly late: WorkerFinding[];
  readonly #keepLate = (message: FromWorker): void => {
    if (message !== 'done') this.late.push(message);
  };
  #onMessage = this.#keepLate;
  isAlive = true;

  constructor(late: WorkerFinding[] = []) {
    this.late = late;
    this.#worker.on('message', (message: FromWorker) => this.#onMessage(message));
    this.#worker.on('error', (thrown) => {
      this.#onMessage({ number: this.#underWay(), text: `ended the thread: ${errorMessage(thrown)}` });
    });
    this.#exited = once(this.#worker, 'exit').then(() => {
      this.isAlive = false;
    });
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  /** Runs from one number on until time is over or the thread ended. */
  async run(task: WorkerTask, { untilMs, patienceMs, onFinding }: TaskOptions): Promise<void> {
    const { counters } = task;
    const underWay = (): number => Atomics.load(counters, 0);
    const done = Promise.withResolvers<void>();
    let hasEnded = false;
    this.#underWay = underWay;
    this.#onMessage = (message) => (message === 'done' ? done.resolve() : onFinding(message));
    const ended = Promise.race([done.promise, this.#exited]).then(() => {
      hasEnded = true;
    });
    for (const finding of this.late.splice(0)) onFinding(finding);
    this.#send(task);
    let [lastNumber, sinceMs] = [notBegun, Date.now()];
    let isReported = false;
    while (!hasEnded) {
      // While the thread loads there is no input yet.
      if (underWay() !== lastNumber || lastNumber === notBegun) [lastNumber, sinceMs] = [underWay(), Date.now()];
      if (Date.now() - sinceMs > patienceMs) {
        onFinding({ number: lastNumber, text: `took longer than ${patienceMs / 1000} s` });
        await this.#worker.terminate();
      }
      if (!isReported && Date.now() > untilMs) {
        isReported = true;
        this.#send('over');
      }
      await Promise.race([ended, pause(pollMs)]);
    }
    this.#onMessage = this.#keepLate;
  }

  /** @throws Error when something broke after the last task */
  async close(): Promise<void> {
    this.#send('close');
    await this.#exited;
    const [late] = this.late;
    if (late !== undefined) throw new Error(`after the last input: ${late.text}`);
  }
}

/** Tries inputs of targets, one target at a time, in a thread that is replaced when it hangs or dies. */
export interface Fuzzer extends AsyncDisposable {
  /** Tries inputs of one target until the time is over; a thread that hangs or dies is a finding, and the next one continues behind the input that did it. */
  fuzz(name: string, options: FuzzOptions): Promise<FuzzReport>;
}

async function fuzzTarget(name: string, options: FuzzOptions, thread: () => FuzzThread): Promise<FuzzReport> {
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
    const task = { target: name, seed, first: next, end, counters };
    await thread().run(task, { untilMs, patienceMs, onFinding });
    next = Math.max(next, Atomics.load(counters, 0)) + 1;
  }
  return { target: name, inputs: next - first, accepted: Atomics.load(counters, 1), findings };
}

/** Starts its thread with the first target. */
export function openFuzzer(): Fuzzer {
  let last: FuzzThread | undefined;
  const thread = (): FuzzThread => {
    if (last?.isAlive !== true) last = new FuzzThread(last?.late);
    return last;
  };
  return {
    fuzz: (name, options) => fuzzTarget(name, options, thread),
    [Symbol.asyncDispose]: async () => await last?.close(),
  };
}
