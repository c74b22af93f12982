import { expect, test } from 'vitest';
import { readCatalogStream } from '../../src/catalog/index.ts';
import { Listing } from './listing.ts';

const csv = (kind: string): string =>
  Buffer.from(JSON.stringify({ kind, spec: { displayName: `Inlined ${kind}` } })).toString('base64');
const bundle = (name: string, properties: string): string =>
  `{schema: olm.bundle, package: p, name: ${name}, image: r.example/${name}, relatedImages: [{name: '', image: r.example/${name}}, {name: x, image: r.example/x}], properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}${properties}]}`;
const catalog = [
  '{schema: olm.package, name: p, defaultChannel: a}',
  '{schema: olm.package, name: q, defaultChannel: a}',
  '{schema: olm.channel, package: p, name: a, entries: [{name: p.v1, replaces: p.v0, skips: [x, z], skipRange: <1.0.0}]}',
  '{schema: olm.channel, package: p, name: b, entries: [{name: p.v1}, {name: p.v2}]}',
  '{schema: olm.channel, package: q, name: a, entries: [{name: q.v1, replaces: q.v1}]}',
  bundle(
    'p.v1',
    `, {type: olm.bundle.object, value: {data: ${csv('ConfigMap')}}}, {type: olm.bundle.object, value: {data: ${csv('ClusterServiceVersion')}}}`,
  ),
  '{schema: olm.deprecations, package: p, entries: [{reference: {schema: olm.package}, message: old}, {reference: {schema: olm.channel, name: b}, message: older}, {reference: {schema: olm.bundle, name: p.v1}, message: oldest}]}',
].join('\n---\n');

async function listed(requested?: string): Promise<Listing> {
  const listing = new Listing(requested);
  for await (const meta of readCatalogStream([Buffer.from(catalog)], 'catalog')) listing.add(meta);
  return listing;
}

test('CR-3.3 packages have the display name of their newest bundle, inlined or not', async () => {
  expect((await listed()).packages()).toEqual([
    { name: 'p', displayName: 'Inlined ClusterServiceVersion', defaultChannel: 'a', deprecation: 'old' },
    { name: 'q', displayName: '', defaultChannel: 'a' },
  ]);
});

test('CR-3.3 a channel without one head shows why, and hides no other', async () => {
  expect((await listed()).channels()).toEqual([
    { package: 'p', channel: 'a', head: 'p.v1' },
    { package: 'p', channel: 'b', error: 'multiple channel heads found in graph: p.v1, p.v2', deprecation: 'older' },
    { package: 'q', channel: 'a', error: 'no channel head found in graph' },
  ]);
});

test('CR-3.3 bundles are listed once for each channel', async () => {
  const row = { package: 'p', bundle: 'p.v1', image: 'r.example/p.v1', deprecation: 'oldest' };
  expect((await listed('p')).bundles()).toEqual([
    { ...row, channel: 'a', replaces: 'p.v0', skips: ['x', 'z'], skipRange: '<1.0.0' },
    { ...row, channel: 'b', replaces: '', skips: [], skipRange: '' },
    { package: 'p', channel: 'b', bundle: 'p.v2', replaces: '', skips: [], skipRange: '', image: '' },
  ]);
});

test('CR-3.3 a missing package is reported', async () => {
  const listing = await listed('r');
  expect(() => listing.packages()).toThrow('package "r" not found');
});

test('images are listed once, with the bundles that need them', async () => {
  expect((await listed()).images()).toEqual([
    { image: 'r.example/p.v1', bundles: ['p.v1'] },
    { image: 'r.example/x', bundles: ['p.v1'] },
  ]);
});
