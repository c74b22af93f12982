import { expect, test } from 'vitest';
import { warningsOf } from './warnings.ts';

test.each<[string, string | string[] | undefined, string[]]>([
  ['no header', undefined, []],
  ['one', '299 - "a is deprecated"', ['a is deprecated']],
  ['several, joined', '299 - "a, b", 299 - "the \\"c\\""', ['a, b', 'the "c"']],
  ['several headers', ['299 - "a"', '299 kube "b"'], ['a', 'b']],
  ['another code', '110 - "stale"', []],
  ['no warning at all', 'text', []],
])('warnings of an answer: %s', (_name, header, texts) => {
  expect(warningsOf(header)).toEqual(texts);
});
