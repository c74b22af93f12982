import type { UpdateHistory } from '../../../src/api/index.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The last part of the operators, those of nodes, takes a third of the time: (operators, time) up to which both grow evenly. */
const knee = { operators: 0.97, time: 0.67 };

/** Which share of the time is over when a share of the operators is updated. */
function shareOfTime(operators: number): number {
  if (operators <= knee.operators) return (operators / knee.operators) * knee.time;
  return knee.time + ((operators - knee.operators) / (1 - knee.operators)) * (1 - knee.time);
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
