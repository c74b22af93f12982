/** Tries inputs of one target, one after another. `workerData`: the target, the seed, the first number, and the counter of the number under way. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
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

const { target: name, seed, first, end, counters } = workerData as WorkerTask;
const target = findTarget(name);
const report = (number: number, thrown: unknown): void => {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : errorMessage(thrown);
  parentPort?.postMessage({ number, text } satisfies WorkerFinding);
};
let isOver = false;
parentPort?.once('message', () => {
  isOver = true;
});
process.on('unhandledRejection', (thrown) => report(Atomics.load(counters, 0), thrown));
{
  await using open = await target.open();
  for (let number = first; number < end && !isOver; number += 1) {
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
parentPort?.close();
