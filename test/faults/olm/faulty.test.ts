/** @module-tag long */
import { expect, test } from 'vitest';
import { travelFaulty } from './faulty-run.ts';
import { journeys } from './journeys.ts';

test.each(Object.values(journeys))(
  'an installation and an upgrade of $name end as usual when one request in ten fails, or its answer is lost',
  async (journey) => {
    expect(await travelFaulty(journey, { count: 1, seed: 16 })).toEqual([]);
  },
  400_000,
);
