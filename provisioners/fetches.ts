import { formatTimestamp } from '../src/base/index.ts';
import { BackgroundWork, type BackgroundWorkOptions, type WorkFailure, type WorkId } from '../src/controller/index.ts';
import type { BundleIdentity } from './unpacker/index.ts';

/** A host is asked for no more at a time, and all hosts together for no more than this, as long as they answer. */
const limits = { perGroup: 8, prompt: 64, running: 1_000, promptMs: 2_000 };
/** Programs such as ssh take a mebibyte or two each, outside of the heaps of this process. */
const programs = { perGroup: 8, prompt: 32, running: 128, promptMs: 2_000 };
const retry = { firstMs: 500, longestMs: 5 * 60_000 };
/** A Bundle that waits for its turn is not reported before. */
const quietMs = 10_000;

/** Fetches the content of Bundles, with slots by host. */
export function createFetches(
  options: Pick<BackgroundWorkOptions, 'clock' | 'log' | 'signal' | 'onChange'>,
): BackgroundWork {
  return new BackgroundWork({ ...options, limits, programs, retry, quietMs, defectPrefix: 'source bundle content: ' });
}

/** The fetch for a Bundle: another Bundle of the same name is fetched again. */
export function fetchOf({ name, uid }: BundleIdentity): WorkId {
  return { name, input: uid };
}

/** What follows from a failure, for the person who reads it. */
export function outlookOf({ nextTryMs }: WorkFailure): string {
  if (nextTryMs === undefined)
    return 'not tried again before the Bundle or what it names changes, or Longshore restarts';
  return `next try at ${formatTimestamp(nextTryMs)}`;
}
