import { expect, test, vi } from 'vitest';
import { decodeJson, isJsonEqual, parseJson } from './json.ts';
import { formatYaml, parseYaml } from './yaml.ts';

const cases: readonly (readonly [text: string, written: string])[] = [
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9007199254740991', '9007199254740991'],
  // Beyond 64 bits, and with a point: as near as can be.
  ['9223372036854775808', '9223372036854776000'],
  ['9007199254740993.0', '9007199254740992'],
];

test.each(cases)('%s is written as %s, from JSON and from YAML, and as both', (text, written) => {
  for (const value of [parseJson('value', `{"a":[${text}]}`), parseYaml('value', `a: [${text}]`)]) {
    expect(JSON.stringify(value)).toBe(`{"a":[${written}]}`);
    expect(formatYaml(value)).toBe(`a:\n  - ${written}\n`);
    expect(isJsonEqual(parseYaml('copy', formatYaml(value)), value)).toBe(true);
  }
});

test.each([
  ['0x20000000000001', '9007199254740993'],
  ['-0x20000000000001', '-9007199254740993'],
  ['0o400000000000000001', '9007199254740993'],
  ['0400000000000000001', '9007199254740993'],
  ['+9007199254740993', '9007199254740993'],
  ['9_007_199_254_740_993', '9007199254740993'],
])('%s of YAML is %s', (text, written) => {
  expect(JSON.stringify(parseYaml('value', `a: ${text}`))).toBe(`{"a":${written}}`);
});

test('a number that lost digits in a conversion equals only its original', () => {
  const exact = parseJson('value', '9007199254740993');
  expect(isJsonEqual(exact, Number('9007199254740993'))).toBe(true);
  expect(isJsonEqual(exact, 9_007_199_254_740_991)).toBe(false);
  expect(isJsonEqual(exact, parseJson('value', '9007199254740995'))).toBe(false);
  expect(isJsonEqual(exact, parseJson('value', '"9007199254740993"'))).toBe(false);
});

test('texts with many digits stay texts', () => {
  expect(parseJson('value', '{"a":"12345678901234567890","b":1.5}')).toEqual({ a: '12345678901234567890', b: 1.5 });
});

test('only whole numbers with many digits are exact, not those with a point or an exponent, nor texts', () => {
  const text =
    '{"\\"1":9007199254740993,"12345678901234567":[-9007199254740993,0.12345678901234567,1e-1234567890123456],"b":"\\\\"}';
  const expected = {
    '"1': 9007199254740993n,
    '12345678901234567': [-9007199254740993n, Number('0.12345678901234567'), 0],
    b: '\\',
  };
  expect(parseJson('value', text)).toEqual(expected);
  expect(parseJson('value', '9007199254740993')).toBe(9007199254740993n);
});

test('a number of millions of digits is read as near as can be', () => {
  expect(decodeJson(`[1234567890123456789,${'1'.repeat(10_000_000)}]`)).toEqual([1234567890123456789n, Infinity]);
});

test('a number with many digits does not have every value of a long text passed to a function', () => {
  const text = `[${'1,'.repeat(1000)}9007199254740993]`;
  using parse = vi.spyOn(JSON, 'parse');
  expect(decodeJson(text)).toHaveLength(1001);
  expect(parse.mock.calls.filter(([, reviver]) => reviver !== undefined)).toEqual([]);
});
