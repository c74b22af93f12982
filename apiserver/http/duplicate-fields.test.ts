import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/index.ts';
import { findDuplicateFields, inDocumentOrder, parseMerging } from './duplicate-fields.ts';

test('names each key that stands twice, where it stands', () => {
  const text = '{"a":{"b":1,"b":2},"list":[{"c":1},{"c":1,"c":2,"c":3}],"a":{}}';
  expect(findDuplicateFields(text, JSON.parse(text) as JsonValue)).toEqual(['a.b', 'list[1].c', 'a']);
});

test('merges objects of equal key, lets the later of other values win', () => {
  expect(parseMerging('{"a":{"b":1,"c":[1]}, "a":{"b":"x\\"y","c":[2,{"d":null}]},"e":-1.5e3}')).toEqual({
    a: { b: 'x"y', c: [2, { d: null }] },
    e: -1500,
  });
});

test('keeps a prototype key as a key, for the check that follows', () => {
  const value = parseMerging('{"a":{"__proto__":{"x":1}},"a":{}}') as { a: object };
  expect(Object.hasOwn(value.a, '__proto__')).toBe(true);
});

test('reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseMerging(text)).toEqual(JSON.parse(text));
    }),
  );
});

/** Members below so many objects whose keys are long. */
function deepText(members: readonly string[]): string {
  const key = JSON.stringify('a'.repeat(5000));
  return `${`{${key}:`.repeat(200)}{${members.join()}}${'}'.repeat(200)}`;
}

test('keys below a very long path cost no more than others', () => {
  const members = Array.from({ length: 20_000 }, (_, index) => `"k${index}": 1`);
  const text = deepText([...members, ...members]);
  const found = findDuplicateFields(text, JSON.parse(text) as JsonValue);
  expect(found.length).toBeGreaterThan(0);
  expect(found.join('').length).toBeLessThan(3_000_000);
  expect(inDocumentOrder(text, ['b', 'c'])).toEqual(expect.arrayContaining(['b', 'c']));
});
