import { expect, test } from 'vitest';
import { decodeYamlText } from './yaml-text.ts';

test.each([
  ['a continuation without a lead', [0x61, 0x92], 'invalid leading UTF-8 octet'],
  ['a lead without continuation', [0xe9, 0x61, 0x61], 'invalid trailing UTF-8 octet'],
  ['a lead at the end', [0x61, 0xe9], 'incomplete UTF-8 octet sequence'],
  ['more bytes than needed', [0xc0, 0x80], 'invalid length of a UTF-8 sequence'],
  ['a byte of no meaning', [0xff], 'invalid leading UTF-8 octet'],
])('refuses %s', (_what, bytes, problem) => {
  expect(() => decodeYamlText(Buffer.from(bytes))).toThrow(`error converting YAML to JSON: yaml: ${problem}`);
});

test('reads what is UTF-8', () => {
  expect(decodeYamlText(Buffer.from('a: ä€😀'))).toBe('a: ä€😀');
});
