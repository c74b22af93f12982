import type { Clock } from '../base/index.ts';
import { formatNamespacedName, type NamespacedName } from '../kube/index.ts';
import { spread } from './spread.ts';

export interface ResyncOptions {
  /** In which each object is requested once. */
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** All objects that there are now. */
  readonly requests: () => Iterable<NamespacedName>;
  readonly enqueue: (request: NamespacedName) => void;
}

/** The objects are spread over so many moments, so that they are not all requested at once. */
const sliceCount = 120;

/** Requests a reconcile of every object now and then, whatever the watches show: what was final, or was missed, is tried again.
 *  Resolves when the signal fires. */
export async function resync({ everyMs, clock, signal, requests, enqueue }: ResyncOptions): Promise<void> {
  for (let slice = 0; ; slice = (slice + 1) % sliceCount) {
    try {
      await clock.sleep(everyMs / sliceCount, { signal });
    } catch (thrown) {
      if (signal.aborted) return;
      throw thrown;
    }
    for (const request of requests()) {
      if (spread(formatNamespacedName(request), sliceCount) === slice) enqueue(request);
    }
  }
}
