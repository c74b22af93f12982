/** @module-tag long */
import { expect, test } from 'vitest';
import { SeededRandom } from '../../conformance/random.ts';
import { journeys } from './journeys.ts';
import { KilledJourneys } from './kill-run.ts';

/** `npm run faults` kills at many more writes. */
const kills = [
  { journey: journeys.fleet, is: 'lost', seed: 16 },
  { journey: journeys.harbour, is: 'cut', seed: 17 },
] as const;

test.each(kills)(
  'an installation and an upgrade of $journey.name end as usual when the controllers are killed at some write',
  async ({ journey, is, seed }) => {
    await using killed = await KilledJourneys.open(journey);
    const writes = await killed.undisturbed();
    const report = await killed.disturbed({ at: 1 + new SeededRandom(seed).below(writes), is });
    expect(report.problems, report.write).toEqual([]);
    expect(report.write).toBeDefined();
  },
  400_000,
);
