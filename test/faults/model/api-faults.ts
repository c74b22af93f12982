import { setTimeout as pause } from 'node:timers/promises';
import type { FaultOptions, Faults } from '../../../apiserver/index.ts';
import type { SeededRandom } from '../../conformance/random.ts';

const writes = ['create', 'update', 'patch', 'delete'];

/** A tenth of all requests together; half of the watches get 410 Gone. */
const shares: readonly (FaultOptions & { readonly share: number })[] = [
  { error: 500, share: 0.02 },
  { verbs: writes, error: 409, share: 0.02 },
  { error: { code: 429, retryAfterSeconds: 1 }, share: 0.01 },
  { error: 503, share: 0.01 },
  { drop: 'before', share: 0.015 },
  { drop: 'after', share: 0.015 },
  { drop: 'midway', share: 0.01 },
  { delayMs: 300, share: 0.01 },
  { verbs: ['watch'], error: 410, share: 0.5 },
  { verbs: ['list'], isContinued: true, error: 410, share: 0.2 },
];
const longestWatchMs = 1000;

/** Puts the faults in place until it is disposed. */
export function addApiFaults(faults: Faults, random: SeededRandom): Disposable {
  const added = shares.map((options) => faults.add({ ...options, random: () => random.next() }));
  return { [Symbol.dispose]: () => added.forEach((fault) => fault.remove()) };
}

/** Ends all watches, at times by chance, half of them as expired, until the signal fires. */
export async function endWatchesNowAndThen(faults: Faults, random: SeededRandom, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(random.next() * longestWatchMs);
    faults.endWatches(random.happens(0.5) ? { error: 410 } : {});
  }
}
