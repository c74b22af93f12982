import { expect, test } from 'vitest';
import type { JsonValue } from '../../base/index.ts';
import { readMeta } from './read-meta.ts';

const place = { file: 'catalog.yaml', line: 1 };
const yamlPrefix = 'error unmarshaling JSON: while decoding JSON: ';

const wrong: readonly (readonly [rule: string, value: JsonValue, message: string, isPrefixed: boolean])[] = [
  [
    'no object',
    [1, 'a'],
    `${yamlPrefix}json: cannot unmarshal array into Go value of type map[string]interface {} at offset 1 (indicated by <==)\n [ <== 1,"a"]`,
    false,
  ],
  [
    'no object but a text',
    'ab',
    `${yamlPrefix}json: cannot unmarshal string into Go value of type map[string]interface {} at offset 4 (indicated by <==)\n "ab" <== `,
    false,
  ],
  ['two keys that fold to one', { schema: 'a', Schema: 'b' }, 'duplicate keys for key "schema": [Schema schema]', true],
  [
    'several such keys',
    { schema: 'a', Schema: 'b', x: 1, X: 2 },
    '[duplicate keys for key "schema": [Schema schema], duplicate keys for key "x": [X x]]',
    true,
  ],
  [
    'keys that fold beyond ASCII',
    { schema: 'a', '\u017Fchema': 'b' },
    'duplicate keys for key "schema": [schema \u017Fchema]',
    true,
  ],
  ['a schema that is no text', { schema: 5 }, 'expected value for key "schema" to be a string, got number: 5', true],
  [
    'a name that is no text',
    { schema: 'a', NAME: ['b'] },
    'expected value for key "name" to be a string, got array: ["b"]',
    true,
  ],
  [
    'a package that is null',
    { schema: 'a', package: null },
    'expected value for key "package" to be a string, got null: null',
    true,
  ],
  ['no schema', { name: 'foo<' }, `object '{"name":"foo<"}\n' is missing root schema field`, false],
  ['an empty schema', { schema: '' }, `object '{"schema":""}\n' is missing root schema field`, false],
];

test.each(wrong)('CR-1.3 %s is refused', (...[, value, message, isPrefixed]) => {
  expect(() => readMeta(value, 'json', place)).toThrow(message);
  const expected = `${isPrefixed ? yamlPrefix : ''}${message}`;
  expect(() => readMeta(value, 'yaml', place)).toThrow(expect.objectContaining({ message: expected }));
});

test('CR-C3 the three names are read whatever their case', () => {
  const value = { Schema: 'my.schema', NAME: 'n', 'pac\u212Aage': 'p' };
  expect(readMeta(value, 'json', place)).toEqual({ schema: 'my.schema', name: 'n', package: 'p', value, place });
});

test('a large document is shown in part', () => {
  expect(() => readMeta({ a: 'x'.repeat(1_000_000) }, 'json', place)).toThrow(/^.{2000,2100}$/s);
});
