import { expect, test } from 'vitest';
import { bundleCodec } from './api-messages.ts';
import { countFields, delimitedHead } from './wire-fields.ts';

test('the fields of a message are counted without reading it', () => {
  const api = { group: 'g', version: 'v', kind: 'K' };
  const empty = { csvName: '', packageName: '', channelName: '', bundlePath: '', version: '' };
  const lists = { providedApis: [api, api], requiredApis: [], dependencies: [], properties: [] };
  const message = { ...empty, ...lists, csvName: 'x'.repeat(300), skips: ['a', 'b'] };
  expect(countFields(bundleCodec.encode(message), 100)).toBe(5);
  expect(countFields(bundleCodec.encode(message), 3)).toBe(4);
  expect(countFields(Buffer.alloc(0), 3)).toBe(0);
});

test.each(['08', '0aff', '0affffffffffffffffffff', '09', '0d00', '0b0c', 'ffffffff'])(
  'bytes that are no message end the count: %s',
  (hex) => {
    expect(countFields(Buffer.from(hex, 'hex'), 100)).toBeLessThanOrEqual(3);
  },
);

test.each([0, 1, 127, 128, 20_000, 3_000_000])('a field of %i bytes begins with its tag and length', (length) => {
  const text = 'x'.repeat(length);
  const written = Buffer.concat([delimitedHead(4, length), Buffer.from(text), delimitedHead(300, 1), Buffer.from('y')]);
  const empty = { csvName: '', packageName: '', channelName: '', bundlePath: '', version: '' };
  const lists = { providedApis: [], requiredApis: [], dependencies: [], properties: [] };
  expect(bundleCodec.decode(written)).toMatchObject({ ...empty, ...lists, csvJson: text });
  expect(countFields(written, 10)).toBe(2);
});
