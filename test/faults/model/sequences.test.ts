import { describe, expect, test } from 'vitest';
import { describeFailure, runSequence } from './run.ts';

/** `npm run faults` plays a hundred. */
const seeds = [1];
const longSeeds = [2, 3, 4];

/** A sequence that comes to rest late is not one that goes wrong. */
const timeout = 600_000;

describe.concurrent('user actions during faults of the API server and the sources end in the desired state', {
  timeout,
}, () => {
  async function play(seed: number): Promise<void> {
    const failure = await runSequence(seed, { actionCount: 8, shrinkTries: 0 });
    expect(failure === undefined ? '' : describeFailure(failure)).toBe('');
  }
  test.each(seeds)('in sequence %i', play);
  test.each(longSeeds)('in sequence %i', { tags: 'long' }, play);
});
