import type { Clock } from '../base/index.ts';
import { spread } from './spread.ts';

export interface ResyncOptions {
  /** In which each name comes up once. */
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** All names there are now. */
  readonly names: () => Iterable<string>;
  readonly enqueue: (name: string) => void;
}

/** The names are spread over so many moments, so that they do not all come up at once. */
const sliceCount = 120;

/** Looks at everything again now and then, whatever the watches have told: what was final, or was missed, gets another chance.
 *  Resolves when the signal fires. */
export async function resync({ everyMs, clock, signal, names, enqueue }: ResyncOptions): Promise<void> {
  for (let slice = 0; ; slice = (slice + 1) % sliceCount) {
    try {
      await clock.sleep(everyMs / sliceCount, { signal });
    } catch (thrown) {
      if (signal.aborted) return;
      throw thrown;
    }
    for (const name of names()) if (spread(name, sliceCount) === slice) enqueue(name);
  }
}
