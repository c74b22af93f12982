import { expect, test } from 'vitest';
import { SeededRandom } from '../../conformance/random.ts';
import { journeys } from './journeys.ts';
import { KilledJourneys } from './kill-run.ts';

/** Of each journey; `npm run faults` kills at every write. */
const count = 2;
const seed = 16;

test.each(Object.values(journeys))(
  'an installation and an upgrade of $name end as usual when the controllers are killed at some write',
  async (journey) => {
    await using killed = await KilledJourneys.open(journey);
    const writes = await killed.undisturbed();
    const random = new SeededRandom(seed);
    for (let kill = 0; kill < count; kill += 1) {
      const report = await killed.disturbed({ at: 1 + random.below(writes), is: kill % 2 === 0 ? 'cut' : 'lost' });
      expect(report.problems, report.write).toEqual([]);
      expect(report.write).toBeDefined();
    }
  },
  400_000,
);
