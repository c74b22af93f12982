import { expect, test } from 'vitest';
import { acceptsGzip, refusedCondition, requestedRange } from './conditions.ts';

const modifiedAtMs = Date.parse('2026-01-02T03:04:05.678Z');
const served = { etags: ['"a"', '"a-gzip"'], modifiedAtMs, lengthBytes: 100 };
const [before, same, after] = [-5000, 0, 5000].map((ms) => new Date(modifiedAtMs + ms).toUTCString());

test.each([
  [{}, undefined],
  [{ 'if-none-match': '"a"' }, 304],
  [{ 'if-none-match': 'W/"x", W/"a-gzip"' }, 304],
  [{ 'if-none-match': '*' }, 304],
  [{ 'if-none-match': '"b"', 'if-modified-since': after }, undefined],
  [{ 'if-modified-since': same }, 304],
  [{ 'if-modified-since': before }, undefined],
  [{ 'if-modified-since': 'yesterday' }, undefined],
  [{ 'if-match': '"b", "a"' }, undefined],
  [{ 'if-match': 'W/"a"' }, 412],
  [{ 'if-match': '"b"' }, 412],
  [{ 'if-match': '*', 'if-unmodified-since': before }, undefined],
  [{ 'if-unmodified-since': before }, 412],
  [{ 'if-unmodified-since': same }, undefined],
  [{ 'if-unmodified-since': same, 'if-none-match': '"a"' }, 304],
])('the conditions %j are answered with %s', (headers, expected) => {
  expect(refusedCondition(headers, served)).toBe(expected);
});

test.each([
  [{}, undefined],
  [{ range: 'bytes=0-9' }, { startByte: 0, endByte: 10 }],
  [{ range: 'bytes=90-' }, { startByte: 90, endByte: 100 }],
  [{ range: 'bytes=90-1000' }, { startByte: 90, endByte: 100 }],
  [{ range: 'bytes=-10' }, { startByte: 90, endByte: 100 }],
  [{ range: 'bytes=-1000' }, { startByte: 0, endByte: 100 }],
  [{ range: 'bytes=100-' }, 'unsatisfiable'],
  [{ range: 'bytes=-0' }, 'unsatisfiable'],
  [{ range: 'bytes=5-4' }, 'unsatisfiable'],
  [{ range: 'bytes=-' }, 'unsatisfiable'],
  [{ range: 'lines=1-2' }, 'unsatisfiable'],
  [{ range: 'bytes=1' }, 'unsatisfiable'],
  [{ range: 'bytes=1-2-3' }, 'unsatisfiable'],
  [{ range: 'bytes= 1 - 2 ' }, { startByte: 1, endByte: 3 }],
  [{ range: 'bytes=1 2-3' }, 'unsatisfiable'],
  [{ range: 'bytes=0-1,5-6' }, undefined],
  [
    { range: 'bytes=0-9', 'if-range': '"a"' },
    { startByte: 0, endByte: 10 },
  ],
  [{ range: 'bytes=0-9', 'if-range': '"a-gzip"' }, undefined],
  [
    { range: 'bytes=0-9', 'if-range': same },
    { startByte: 0, endByte: 10 },
  ],
  [{ range: 'bytes=0-9', 'if-range': before }, undefined],
  [{ range: 'bytes=0-9', 'if-range': 'W/"a"' }, undefined],
])('the range of %j is %j', (headers, expected) => {
  expect(requestedRange(headers, served)).toEqual(expected);
});

test.each([
  [undefined, false],
  ['', false],
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip;q=0, *', false],
  ['identity, gzip;q=0.5', false],
  ['deflate', false],
])('with Accept-Encoding %j a client takes gzip: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});

test('a range that is nearly all blanks takes no time', () => {
  expect(requestedRange({ range: `bytes=${' '.repeat(1_000_000)}x` }, { ...served, lengthBytes: 100 })).toBe(
    'unsatisfiable',
  );
});
