import type { UpdateHistory } from '../../../src/api/index.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Which share of the time is over when a share of the operators is updated, as the reference estimates: the operators of nodes are the last ones, and take
 *  half of the time. Values in between lie on a line. */
const timeByOperators: readonly (readonly [operators: number, time: number])[] = [
  [0, 0],
  [0.05, 0.091],
  [0.1, 0.194],
  [0.15, 0.278],
  [0.2, 0.342],
  [0.25, 0.382],
  [0.3, 0.389],
  [0.6, 0.394],
  [0.7, 0.408],
  [0.8, 0.433],
  [0.9, 0.469],
  [0.92, 0.595],
  [0.95, 0.689],
  [0.97, 0.698],
  [0.98, 0.735],
  [0.99, 0.832],
  [1, 1],
];

function shareOfTime(operators: number): number {
  const index = timeByOperators.findIndex(([share]) => operators <= share);
  const [above, timeAbove] = timeByOperators[index] ?? [1, 1];
  const [below, timeBelow] = timeByOperators[index - 1] ?? [0, 0];
  if (above === below) return timeAbove;
  return timeBelow + ((operators - below) / (above - below)) * (timeAbove - timeBelow);
}

/** How long the last update took that was completed; the installation, which is the last entry, does not count. */
function baselineMs(history: readonly UpdateHistory[]): number {
  const done = history.slice(1, -1).find(({ state }) => state === 'Completed');
  const took = Date.parse(done?.completionTime ?? '') - Date.parse(done?.startedTime ?? '');
  return Number.isNaN(took) ? hour : took;
}

/** How far an update is. */
export interface Pace {
  /** Share of the operators that are updated: 0 to 1. */
  readonly completion: number;
  readonly updatingMs: number;
  /** From the start to the last change of an operator. */
  readonly untilProgressMs: number;
}

/** Milliseconds until the update is completed; below zero when it takes longer than estimated. */
export function remainingMs(
  { completion, updatingMs, untilProgressMs }: Pace,
  history: readonly UpdateHistory[],
): number {
  const share = shareOfTime(completion);
  const isKnown = share > 0 && untilProgressMs > 5 * minute;
  const left = (isKnown ? untilProgressMs / share : baselineMs(history)) - updatingMs;
  // Rather too long than too short.
  return left < 0 ? left / 1.2 : left * 1.2;
}
