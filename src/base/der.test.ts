import { describe, expect, test } from 'vitest';
import { contentOf, element, elementsOf, objectIdentifier, time } from './der.ts';

test.each([
  { name: 'a short content', bytes: 5, header: '0405' },
  { name: 'the longest short content', bytes: 127, header: '047f' },
  { name: 'one length byte', bytes: 200, header: '0481c8' },
  { name: 'two length bytes', bytes: 300, header: '0482012c' },
])('writes and reads $name', ({ bytes, header }) => {
  const content = Buffer.alloc(bytes, 7);
  const written = element(0x04, content);
  expect(written.toString('hex').startsWith(header)).toBe(true);
  expect(contentOf(written)).toEqual(content);
  expect(elementsOf(Buffer.concat([written, written]))).toEqual([written, written]);
});

test('writes object identifiers with numbers over 127', () => {
  expect(objectIdentifier('1.2.840.10045.4.3.2').toString('hex')).toBe('06082a8648ce3d040302');
});

describe('times', () => {
  test('have two digits of the year until 2049, then four', () => {
    expect(
      time(Date.UTC(2049, 11, 31, 23, 59, 59, 999))
        .subarray(2)
        .toString(),
    ).toBe('491231235959Z');
    expect(
      time(Date.UTC(2050, 0, 1))
        .subarray(2)
        .toString(),
    ).toBe('20500101000000Z');
  });
});

test.each(['30', '3005ff', '3080', '30850000000001', '3082ff'])('refuses what is not whole: %s', (hex) => {
  expect(() => elementsOf(Buffer.from(hex, 'hex'))).toThrow(RangeError);
});
