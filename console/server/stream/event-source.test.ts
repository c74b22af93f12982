import { expect, test } from 'vitest';
import { latestOf } from './event-source.ts';

test('the latest of many are found without sorting all of them', () => {
  const items = Array.from({ length: 5_000 }, (_, index) => {
    let reads = 0;
    const time = String(10_000 + ((index * 7_919) % 5_000));
    return {
      get time(): string {
        reads += 1;
        return time;
      },
      reads: () => reads,
    };
  });
  expect(latestOf(items, 3).map(({ time }) => time)).toEqual(['14999', '14998', '14997']);
  const reads = items.reduce((sum, item) => sum + item.reads(), 0);
  expect(reads).toBeLessThan(2 * items.length);
  expect(latestOf(items.slice(0, 2), 3)).toHaveLength(2);
});
