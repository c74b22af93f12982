import { expect, test } from 'vitest';
import { RecentBytes } from './recent-bytes.ts';

test('values that were used last are kept, up to the total size', () => {
  const recent = new RecentBytes<string>(80);
  for (const key of 'abcdefgh') recent.add(key, new Uint8Array(10));
  expect(recent.get('a')).toHaveLength(10);
  recent.add('i', new Uint8Array(10));
  expect(Array.from('abci', (key) => recent.get(key) !== undefined)).toEqual([true, false, true, true]);
});

test('a large value takes the place of no others', () => {
  const recent = new RecentBytes<string>(80);
  recent.add('small', new Uint8Array(10));
  recent.add('large', new Uint8Array(11));
  expect([recent.get('small')?.length, recent.get('large')]).toEqual([10, undefined]);
});
