import { expect, test } from 'vitest';
import { overlapWarnings } from './volume-overlaps.ts';

function warningsOf(paths: readonly string[]): string[] {
  const items = paths.map((path) => ({ key: 'a', path }));
  return overlapWarnings({ volumes: [{ name: 'v', configMap: { name: 'c', items } }] });
}

/** Each path compared with each before it. */
function expected(paths: readonly string[]): string[] {
  const plain = paths.map((path) => path.replace(/\/+$/, ''));
  const isWithin = (one: string, other: string): boolean => `${one}/`.startsWith(`${other}/`);
  return plain.flatMap((path, at) =>
    plain
      .slice(0, at)
      .filter((other) => path !== '' && other !== '' && (isWithin(path, other) || isWithin(other, path)))
      .map(
        (other) =>
          `volume "v" (ConfigMap "c"): overlapping paths: ${JSON.stringify(path)} with ${JSON.stringify(other)}`,
      ),
  );
}

test.each([
  [['a', 'b', 'a/b', 'a']],
  [['a/b/c', 'a-b', 'a/b', 'a.b', 'a', 'ab', 'a//', 'a/b/']],
  [['', '/', 'a', '//a', '/a', '/a/b', 'a/']],
  [['b/c', 'b/a', 'b', 'b/a/x', 'a', 'b0', 'b!']],
])('%j: each pair is named in the order of the files', (paths) => {
  expect(warningsOf(paths)).toEqual(expected(paths));
});

test('of very many pairs the first hundred are named', () => {
  expect(warningsOf(Array.from({ length: 1000 }, () => 'a'))).toHaveLength(100);
});
