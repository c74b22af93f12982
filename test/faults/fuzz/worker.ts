/** Tries the inputs of one task after the other: for all targets in one thread, because loading them takes longer than most tasks. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../../../src/base/index.ts';
import { fuzzInput } from './input.ts';
import { findTarget } from './targets.ts';

/** What a worker is given. */
export interface WorkerTask {
  readonly target: string;
  readonly seed: number;
  readonly first: number;
  /** The number that is not tried any more. */
  readonly end: number;
  /** The number that is under way (-1: none yet), and how many were accepted. */
  readonly counters: Int32Array<SharedArrayBuffer>;
}

/** An input that broke something. */
export interface WorkerFinding {
  readonly number: number;
  readonly text: string;
}

/** What a worker sends: a finding, or `done` after the last input of a task. */
export type FromWorker = WorkerFinding | 'done';
/** What a worker receives: a task, `over` when its time is over, or `close`. */
export type ToWorker = WorkerTask | 'over' | 'close';

const send = (message: FromWorker): void => parentPort?.postMessage(message);
let underWay = -1;
let isOver = false;

function report(number: number, thrown: unknown): void {
  send({ number, text: thrown instanceof Error ? (thrown.stack ?? thrown.message) : errorMessage(thrown) });
}

async function run({ target: name, seed, first, end, counters }: WorkerTask): Promise<void> {
  const target = findTarget(name);
  await using open = await target.open();
  for (let number = first; number < end && !isOver; number += 1) {
    underWay = number;
    Atomics.store(counters, 0, number);
    try {
      if ((await open.attempt(fuzzInput(target, seed, number))) === 'accepted') Atomics.add(counters, 1, 1);
    } catch (thrown) {
      report(number, thrown);
    }
    // The word that it is over comes between two inputs.
    await nextTurn();
  }
}

process.on('unhandledRejection', (thrown) => report(underWay, thrown));
parentPort?.on('message', (message: ToWorker) => {
  if (message === 'close') parentPort?.close();
  else if (message === 'over') isOver = true;
  else {
    isOver = false;
    // A target that does not open ends the thread, which is a finding.
    void run(message).then(
      () => send('done'),
      (thrown) =>
        setImmediate(() => {
          throw thrown;
        }),
    );
  }
});
