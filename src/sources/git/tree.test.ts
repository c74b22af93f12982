import { expect, test } from 'vitest';
import { longestShare } from '../../../test/support/longest-share.ts';
import { turnTaker } from '../../base/index.ts';
import { sha1Format } from './object-format.ts';
import { readTree } from './tree.ts';

const count = 100_000;

function largeTree(): Buffer {
  const oid = Buffer.alloc(sha1Format.oidBytes);
  return Buffer.concat(Array.from({ length: count }, (_, index) => [Buffer.from(`120000 ${index}\0`), oid]).flat());
}

test('a tree with very many entries gives other work turns', async () => {
  const bytes = largeTree();
  const takeTurn = turnTaker();
  const share = async (): Promise<void> => await takeTurn();
  const reading = readTree({ readWhole: () => Promise.resolve(bytes), share }, 'tree', {
    format: sha1Format,
    maxEntries: count,
  });
  expect(await longestShare(reading)).toBeLessThan(0.5);
  expect(await reading).toHaveLength(count);
});
