import { expect, test } from 'vitest';
import { killInRounds } from './kill-rounds.ts';
import { isRealCluster } from './test-cluster.ts';

/** A real control plane takes several seconds for the end of a namespace. */
const count = isRealCluster ? 5 : 10;

test('Q9 kills at any time during installations, pivots and removals lose, double and orphan nothing', async () => {
  expect(await killInRounds({ count, seed: 11 })).toMatchObject({ problems: [] });
}, 400_000);
