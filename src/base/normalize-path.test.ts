import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { normalizePath } from './index.ts';

const parts = ['', '.', '..', 'a', '...', '.b'];

test('paths are normalized as by node:path', () => {
  let paths = parts;
  for (let depth = 0; depth < 4; depth += 1) {
    paths = [...new Set(paths.flatMap((path) => parts.map((part) => `${path}/${part}`).concat(path)))];
  }
  expect(paths.length).toBeGreaterThan(6000);
  expect(paths.filter((path) => normalizePath(path) !== posix.normalize(path))).toEqual([]);
});

test.each(['../', 'a/a/../'])('a path of many %s is read in one pass', (part) => {
  const segments = part.repeat(400_000);
  expect(normalizePath(`${segments}..`).split('/').length).toBeGreaterThan(100_000);
});
