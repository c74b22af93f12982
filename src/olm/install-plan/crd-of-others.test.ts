import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { harmfulChanges } from './crd-of-others.ts';

function crd(schema: JsonObject, { version = {}, spec = {} }: Readonly<Record<string, JsonObject>> = {}): JsonObject {
  const names = { kind: 'Boat', plural: 'boats', singular: 'boat', listKind: 'BoatList' };
  const openAPIV3Schema = { type: 'object', ...schema };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }];
  return { metadata: { name: 'boats.example.com' }, spec: { group: 'example.com', names, versions, ...spec } };
}

const preserving = { 'x-kubernetes-preserve-unknown-fields': true };
const withFields = (...names: string[]): JsonObject => {
  return { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
};

test.each([
  ['a field is removed', crd(withFields('a', 'b')), crd(withFields('a'))],
  ['a field of a map is removed', crd({ additionalProperties: withFields('a') }), crd({ additionalProperties: {} })],
  ['unknown fields are not kept', crd(preserving), crd({})],
  ['none are kept for the whole definition', crd({}, { spec: { preserveUnknownFields: true } }), crd({})],
  ['the status loses its protection', crd({}, { version: { subresources: { status: {} } } }), crd({})],
  ['a version is not served', crd({}), crd({}, { version: { served: false } })],
])('a change is harmful when %s', async (_what, before, after) => {
  expect(await harmfulChanges(before, after)).toBeTypeOf('string');
});

test.each([
  ['a field is added', crd(withFields('a')), crd(withFields('a', 'b'))],
  ['a text changes', crd({ description: 'a' }), crd({ description: 'b' })],
  ['a subresource is added', crd({}), crd({}, { version: { subresources: { status: {} } } })],
  ['nothing changes', crd(preserving), crd(preserving)],
])('a change is not harmful when %s', async (_what, before, after) => {
  expect(await harmfulChanges(before, after)).toBeUndefined();
});
