import { expect, test } from 'vitest';
import { jsonSyntaxProblem } from './json-syntax.ts';

const rows: readonly (readonly [text: string, problem: string | undefined])[] = [
  ['{"a":[1,-0.5e+3,true,null,"\\u00e4\\n"]}', undefined],
  ['', 'unexpected end of JSON input'],
  ['{"a":1', 'unexpected end of JSON input'],
  ['"a', 'unexpected end of JSON input'],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['1 2', "invalid character '2' after top-level value"],
  ['01', "invalid character '1' after top-level value"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ['nulx', "invalid character 'x' in literal null (expecting 'l')"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ["{'a'}", "invalid character '\\'' looking for beginning of object key string"],
  ['ä', "invalid character 'Ã' looking for beginning of value"],
];

test.each(rows)('%j', (text, problem) => {
  expect(jsonSyntaxProblem(Buffer.from(text))?.text).toBe(problem);
});

test('a text of a million brackets costs no stack', () => {
  expect(jsonSyntaxProblem(Buffer.from('['.repeat(1_000_000)))).toEqual({
    text: 'unexpected end of JSON input',
    offset: 1_000_000,
  });
});

test('the offset counts the wrong byte', () => {
  expect(jsonSyntaxProblem(Buffer.from('{"ä":x}'))?.offset).toBe(7);
});
