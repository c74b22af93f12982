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

/** Puts the faults in place until it is disposed; for one user, or for all. */
export function addApiFaults(faults: Faults, random: SeededRandom, user?: string): Disposable {
  const who = user === undefined ? {} : { user };
  const added = shares.map((options) => faults.add({ ...options, ...who, random: () => random.next() }));
  return { [Symbol.dispose]: () => added.forEach((fault) => fault.remove()) };
}

/** Ends all watches, or those of one user, at times by chance, half of them as expired, until the signal fires. */
export async function endWatchesNowAndThen(
  faults: Faults,
  random: SeededRandom,
  { signal, user }: { readonly signal: AbortSignal; readonly user?: string },
): Promise<void> {
  const who = user === undefined ? {} : { user };
  while (!signal.aborted) {
    await pause(random.next() * longestWatchMs);
    faults.endWatches(random.happens(0.5) ? { ...who, error: 410 } : who);
  }
}
