/** @module-tag long */
import { expect, test } from 'vitest';
import { SeededRandom } from '../../conformance/random.ts';
import { KilledDeletions } from './kill-run.ts';

/** `npm run faults` kills at each write. */
test.each([
  { replicas: 1, is: 'cut', seed: 18 },
  { replicas: 1, is: 'lost', seed: 19 },
  { replicas: 2, is: 'lost', seed: 20 },
] as const)(
  'the deletion of a machine ends as usual when one of $replicas processes is killed at some write ($is)',
  async ({ replicas, is, seed }) => {
    await using killed = await KilledDeletions.open(replicas);
    const writes = await killed.undisturbed();
    const report = await killed.disturbed({ at: 1 + new SeededRandom(seed).below(writes), is });
    expect(report.problems, report.write).toEqual([]);
    expect(report.write).toBeDefined();
  },
  900_000,
);
