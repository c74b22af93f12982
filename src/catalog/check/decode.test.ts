import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { base64Fault } from './base64.ts';
import { decodeDocument, decodingFault, isKnownSchema, type KnownSchema } from './decode.ts';

const faults: readonly { name: string; schema: KnownSchema; value: JsonObject; text: string }[] = [
  {
    name: 'entries that are no list',
    schema: 'olm.channel',
    value: { entries: 5 },
    text: 'parse channel: json: cannot unmarshal number into Go struct field Channel.entries of type []declcfg.ChannelEntry',
  },
  {
    name: 'an entry that is a text',
    schema: 'olm.channel',
    value: { entries: ['p.v1'] },
    text: 'parse channel: json: cannot unmarshal string into Go struct field Channel.entries of type declcfg.ChannelEntry',
  },
  {
    name: 'a skip that is a number, the first of two faults by key',
    schema: 'olm.channel',
    value: { package: true, entries: [{ name: 'a', skips: [1] }] },
    text: 'parse channel: json: cannot unmarshal number into Go struct field ChannelEntry.entries.skips of type string',
  },
  {
    name: 'an icon that is no base64',
    schema: 'olm.package',
    value: { icon: { base64data: '!', mediatype: 'image/png' } },
    text: 'parse package: illegal base64 data at input byte 0',
  },
  {
    name: 'an image that is an object',
    schema: 'olm.bundle',
    value: { image: {} },
    text: 'parse bundle: json: cannot unmarshal object into Go struct field Bundle.image of type string',
  },
  {
    name: 'a reference that is a list',
    schema: 'olm.deprecations',
    value: { entries: [{ reference: [] }] },
    text: 'parse deprecation: json: cannot unmarshal array into Go struct field DeprecationEntry.entries.reference of type declcfg.PackageScopedReference',
  },
];

test.each(faults)('reports $name as Go does', ({ schema, value, text }) => {
  expect(decodingFault(schema, value)).toBe(text);
});

test('reads members whatever the case of their letters, and nothing for what has another type', () => {
  const value = { Name: 'stable', ENTRIES: [{ NAME: 'p.v1', skiprange: '<1.0.0', replaces: 3 }], package: null };
  expect(decodingFault('olm.channel', { package: null })).toBeUndefined();
  expect(decodeDocument('olm.channel', value)).toEqual({
    schema: 'olm.channel',
    name: 'stable',
    package: '',
    entries: [{ name: 'p.v1', skips: [], skipRange: '<1.0.0' }],
    properties: [],
  });
});

test('knows base64 as Go reads it, line feeds included', () => {
  const good = ['', 'YQ==', 'YW\nJj\n', 'YWJj', 'YQ=\n=\n'];
  expect(good.map(base64Fault)).toEqual(good.map(() => undefined));
  const bad = { YQ: 0, 'YQ=': 3, YWJjZ: 4, 'Y=': 1, 'YQ==x': 4, 'YQ=x': 2, 'YW!': 2 };
  for (const [text, offset] of Object.entries(bad)) {
    expect(base64Fault(text)).toBe(`illegal base64 data at input byte ${offset}`);
  }
});

test('decodes four schemas', () => {
  expect(['olm.bundle', 'olm.deprecations', 'olm.thing', 'toString'].map(isKnownSchema)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
