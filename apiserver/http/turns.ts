import { setImmediate as nextTurn } from 'node:timers/promises';

const sliceMs = 10;

/** Gives other requests a turn now and then: call it, and await what it answers, after each small step of long work. */
export function turnTaker(): () => Promise<void> | undefined {
  let begunMs = performance.now();
  return () => {
    if (performance.now() - begunMs < sliceMs) return undefined;
    return nextTurn().then(() => {
      begunMs = performance.now();
    });
  };
}
