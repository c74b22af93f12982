import { expect, test } from 'vitest';
import { orderChannel } from './channel-heads.ts';

test('a long channel whose entries both replace and skip the one before is put in order', () => {
  const entries = Array.from({ length: 200 }, (_, number) => {
    const before = `p.v${number - 1}`;
    return { name: `p.v${number}`, replaces: before, skips: [before] };
  });
  const { heads, distances } = orderChannel({ name: 'stable', entries });
  expect(heads).toEqual(['p.v199']);
  expect([distances.size, distances.get('p.v0')]).toEqual([200, 199]);
});
