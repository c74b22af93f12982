import { expect, test } from 'vitest';
import { versionHash } from './version-hash.ts';

test.each([
  ['', 'y_Kc5IQiIyU='],
  ['a', 'r2O9TIYBt74='],
  ['foobar', 'NA2HZaTdqcI='],
])('the hash of "%s" is the published one of FNV-1', (text, hash) => {
  expect(versionHash([text])).toBe(hash);
  expect(versionHash(text)).toBe(hash);
});
