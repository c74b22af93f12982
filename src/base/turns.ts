import { setImmediate as nextTurn, setTimeout as rest } from 'node:timers/promises';

const sliceMs = 10;

/** Call it, and await what it returns, after each small step of long work. */
export type TakeTurn = () => Promise<void> | undefined;

/** Shares a thread with its other work: that has a turn whenever this work has taken ten milliseconds. What it returns is rejected with the signal's
 *  reason. With `restMs`, other work has all turns of so many milliseconds. */
export function turnTaker(signal?: AbortSignal, restMs = 0): TakeTurn {
  let begunMs = performance.now();
  return () => {
    if (performance.now() - begunMs < sliceMs) return undefined;
    return (restMs === 0 ? nextTurn() : rest(restMs)).then(() => {
      signal?.throwIfAborted();
      begunMs = performance.now();
    });
  };
}
