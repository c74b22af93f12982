import { expect, test } from 'vitest';
import { maxNestingDepth, parseJson } from './json.ts';

test.each([
  '{"__proto__":{}}',
  String.raw`{"a":[{"__p\u0072oto__":1}]}`,
  String.raw`{"\u005F_proto__":1}`,
  String.raw`{"__pr\u006Fto__":1}`,
  String.raw`{"__pro\u0074o__":1}`,
])('the forbidden key of %s is seen, however it is written', (text) => {
  expect(() => parseJson('a', text)).toThrow('a: the key "__proto__" is not accepted');
});

test('a text may mention the forbidden key', () => {
  expect(parseJson('a', '{"a":"__proto__"}')).toEqual({ a: '__proto__' });
});

test.each([
  ['[', ']'],
  ['{"a":', '}'],
])('%s in one another are refused beyond the depth that is accepted', (open, close) => {
  const nested = (depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
  expect(() => parseJson('a', nested(maxNestingDepth))).not.toThrow();
  expect(() => parseJson('a', nested(maxNestingDepth + 1))).toThrow('a: nested deeper than 256 levels');
});

test('brackets in texts, after escaped quotes too, and those of siblings are not depth', () => {
  const texts = Array.from({ length: 300 }, () => `\\"[{"`);
  expect(parseJson('a', JSON.stringify(texts))).toEqual(texts);
  const siblings = Array.from({ length: 300 }, () => [{}]);
  expect(parseJson('a', JSON.stringify(siblings))).toEqual(siblings);
});
