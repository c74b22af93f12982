/** @module-tag long */
import { expect, test } from 'vitest';
import { killInRounds } from './kill-rounds.ts';

/** `npm run faults` has more of them. */
const count = 3;

test('Q9 kills at any time during installations, pivots and removals lose, double and orphan nothing', async () => {
  expect(await killInRounds({ count, seed: 11 })).toMatchObject({ problems: [] });
}, 400_000);
