import { once } from 'node:events';
import { Client, type ClientReadableStream, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, csv, other, startTestRegistry } from '../../../test/support/catalog-registry.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { openRegistryCaller } from '../../../test/support/registry-caller.ts';
import { type JsonObject, textAt } from '../../base/index.ts';

const stack = new AsyncDisposableStack();
let caller = openRegistryCaller(1);

beforeAll(async () => {
  const registry = stack.use(await startTestRegistry());
  caller[Symbol.dispose]();
  caller = stack.use(openRegistryCaller(registry.port));
});

afterAll(async () => {
  await stack.disposeAsync();
});

type Call = ReturnType<typeof openRegistryCaller>['call'];
const call: Call = (name, request, metadata) => caller.call(name, request, metadata);

async function one(name: string, request: object): Promise<JsonObject | string> {
  const [messages, fault] = await call(`api.Registry.${name}`, request);
  return messages[0] ?? fault;
}

test('CR-C13 ListPackages lists all by name; GetPackage has channels by name with their heads, and deprecations', async () => {
  expect(await call('api.Registry.ListPackages', {})).toEqual([[{ name: 'p' }, { name: 'q' }], '']);
  expect(await one('GetPackage', { name: 'p' })).toEqual({
    name: 'p',
    channels: [
      { name: 'alpha', csvName: 'p.v2.0.0', deprecation: { message: 'old channel' } },
      { name: 'broken', csvName: '' },
      { name: 'stable', csvName: 'p.v1.2.0' },
    ],
    defaultChannelName: 'stable',
    deprecation: { message: 'old package' },
  });
  expect(await one('GetPackage', { name: 'x"y' })).toBe('2 package "x\\"y" not found');
});

test('CR-C14 GetBundle has no edges but skipRange, no metadata property types, and a synthetic ClusterServiceVersion', async () => {
  const found = (await one('GetBundle', { pkgName: 'p', channelName: 'stable', csvName: 'p.v1.2.0' })) as JsonObject;
  expect(found).toMatchObject({
    csvName: 'p.v1.2.0',
    packageName: 'p',
    channelName: 'stable',
    bundlePath: 'registry.example/p.v1.2.0',
    version: '1.2.0',
    skipRange: '<1.2.0',
    replaces: '',
    skips: [],
    providedApis: [],
    requiredApis: [{ ...other, plural: '' }],
    dependencies: [
      { type: 'olm.gvk', value: JSON.stringify(other) },
      { type: 'olm.package', value: '{"packageName":"q","version":">=1.0.0"}' },
    ],
  });
  expect((found['properties'] as JsonObject[]).map(({ type }) => type)).toEqual([
    'olm.package',
    'olm.gvk.required',
    'olm.package.required',
  ]);
  expect(found['object']).toEqual([found['csvJson']]);
  expect(JSON.parse(textAt(found, 'csvJson'))).toEqual({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'p.v1.2.0', annotations: { a: 'b' } },
    spec: {
      displayName: 'P',
      description: 'of the package',
      version: '1.2.0',
      icon: [{ base64data: 'AAAA', mediatype: 'image/png' }],
      customresourcedefinitions: {},
      apiservicedefinitions: {},
      provider: {},
      cleanup: { enabled: false },
      relatedImages: [{ name: 'x', image: 'registry.example/x' }],
      install: { strategy: 'deployment', spec: { deployments: null } },
    },
    status: { cleanup: {} },
  });
});

test('CR-C14 ListBundles has one for each membership, ordered, with edges, and manifests of those without image alone', async () => {
  const [bundles, fault] = await call('api.Registry.ListBundles', {});
  expect(fault).toBe('');
  const short = bundles.map(
    (found) => `${textAt(found, 'channelName')} ${textAt(found, 'packageName')} ${textAt(found, 'csvName')}`,
  );
  expect(short).toEqual([
    'alpha p p.v1.2.0',
    'alpha p p.v2.0.0',
    'broken p p.v1.0.0',
    'broken p p.v1.1.0',
    'fast q q.v0.1.0',
    'fast q q.v1.0.0',
    'stable p p.v1.0.0',
    'stable p p.v1.1.0',
    'stable p p.v1.2.0',
    'stable q q.v1.0.0',
  ]);
  expect(bundles[8]).toMatchObject({
    replaces: 'p.v1.0.0',
    skips: ['p.v1.1.0', 'p.v0.9.0'],
    skipRange: '<1.2.0',
    csvJson: '',
    object: [],
  });
  expect(bundles[6]).toMatchObject({ deprecation: { message: 'old bundle' } });
  expect(bundles[9]).toMatchObject({
    bundlePath: '',
    csvJson: JSON.stringify(csv),
    object: [JSON.stringify(csv), '{"kind":"Service"}'],
  });
});

test.each([
  ['GetBundle', { pkgName: 'x' }, '2 package "x" not found'],
  ['GetBundle', { pkgName: 'p', channelName: 'x' }, '2 package "p", channel "x" not found'],
  [
    'GetBundle',
    { pkgName: 'p', channelName: 'alpha', csvName: 'p.v1.0.0' },
    '2 package "p", channel "alpha", bundle "p.v1.0.0" not found',
  ],
  ['GetBundleForChannel', { pkgName: 'x' }, '2 package "x" not found'],
  ['GetBundleForChannel', { pkgName: 'p', channelName: 'x' }, '2 package "p", channel "x" not found'],
  [
    'GetBundleForChannel',
    { pkgName: 'p', channelName: 'broken' },
    '2 multiple channel heads found in graph: p.v1.0.0, p.v1.1.0',
  ],
  ['GetBundleThatReplaces', { pkgName: 'x', channelName: 'y', csvName: 'z' }, '2 package x not found'],
  ['GetBundleThatReplaces', { pkgName: 'p', channelName: 'y' }, '2 package "p", channel "y" not found'],
  [
    'GetBundleThatReplaces',
    { pkgName: 'p', channelName: 'alpha', csvName: 'z' },
    '2 no entry found for package "p", channel "alpha"',
  ],
  [
    'GetChannelEntriesThatProvide',
    { ...api, kind: 'No' },
    '2 no channel entries found that provide group:"p.example" version:"v1" kind:"No"',
  ],
  ['GetLatestChannelEntriesThatProvide', {}, '2 no channel entries found that provide group:"" version:"" kind:""'],
  ['GetDefaultBundleThatProvides', {}, '2 no channel entries found that provide group:"" version:"" kind:""'],
])('CR-C13 %s of what is not there: %j', async (method, request, expected) => {
  expect(await one(method, request)).toBe(expected);
});

test('a bundle without image has its own manifests, the head of a channel is its bundle', async () => {
  expect(await one('GetBundleForChannel', { pkgName: 'q', channelName: 'stable' })).toMatchObject({
    csvName: 'q.v1.0.0',
    csvJson: JSON.stringify(csv),
    object: [JSON.stringify(csv), '{"kind":"Service"}'],
  });
});

test('CR-C15 entries that replace or skip a bundle are found, others are not; of several updates the nearest the head', async () => {
  const entry = { packageName: 'p', channelName: 'stable', bundleName: 'p.v1.2.0' };
  const replacing = (csvName: string): ReturnType<typeof call> =>
    call('api.Registry.GetChannelEntriesThatReplace', { csvName });
  expect(await replacing('p.v1.1.0')).toEqual([[{ ...entry, replaces: 'p.v1.0.0' }], '']);
  expect(await replacing('p.v0.9.0')).toEqual([[{ ...entry, replaces: 'p.v1.0.0' }], '']);
  expect(await replacing('p.v1.0.0')).toEqual([
    [
      { ...entry, bundleName: 'p.v1.1.0', replaces: 'p.v1.0.0' },
      { ...entry, replaces: 'p.v1.0.0' },
    ],
    '',
  ]);
  expect(await replacing('C')).toEqual([[], '2 no channel entries found that replace C']);
  const request = { pkgName: 'p', channelName: 'stable', csvName: 'p.v1.0.0' };
  expect(await one('GetBundleThatReplaces', request)).toMatchObject({ csvName: 'p.v1.2.0', replaces: '', skips: [] });
});

test('CR-C16 an API that only the head of another channel provides has no default bundle', async () => {
  const head = { packageName: 'p', channelName: 'alpha', bundleName: 'p.v2.0.0', replaces: 'p.v1.2.0' };
  expect(await call('api.Registry.GetLatestChannelEntriesThatProvide', api)).toEqual([[head], '']);
  expect(await call('api.Registry.GetChannelEntriesThatProvide', api)).toEqual([[head], '']);
  expect(await one('GetDefaultBundleThatProvides', api)).toBe(
    '2 no entry found that provides group:"p.example" version:"v1" kind:"Thing"',
  );
  expect(await one('GetDefaultBundleThatProvides', other)).toMatchObject({
    csvName: 'q.v1.0.0',
    channelName: 'stable',
  });
});

test('entries that provide an API have each name that they lead from once; heads only names of their own channel', async () => {
  const stable = { packageName: 'q', channelName: 'stable', bundleName: 'q.v1.0.0', replaces: '' };
  const from = (version: string): object => ({ ...stable, channelName: 'fast', replaces: `q.v${version}` });
  const all = await call('api.Registry.GetChannelEntriesThatProvide', other);
  expect(all).toEqual([[from('0.9.0'), from('0.8.0'), from('0.1.0'), stable], '']);
  const latest = await call('api.Registry.GetLatestChannelEntriesThatProvide', other);
  expect(latest).toEqual([[from('0.9.0'), from('0.1.0'), stable], '']);
});

test('entries that replace a bundle have what they replace, whatever was asked for; an empty name means those that replace nothing', async () => {
  const fast = { packageName: 'q', channelName: 'fast', bundleName: 'q.v1.0.0', replaces: 'q.v0.9.0' };
  const replacing = (csvName: string): ReturnType<typeof call> =>
    call('api.Registry.GetChannelEntriesThatReplace', { csvName });
  for (const version of ['0.9.0', '0.8.0', '0.1.0']) expect(await replacing(`q.v${version}`)).toEqual([[fast], '']);
  const [tails] = await replacing('');
  expect(tails.map((found) => `${textAt(found, 'channelName')} ${textAt(found, 'bundleName')}`)).toEqual([
    'alpha p.v1.2.0',
    'broken p.v1.0.0',
    'broken p.v1.1.0',
    'stable p.v1.0.0',
    'fast q.v0.1.0',
    'stable q.v1.0.0',
  ]);
});

test('manifests are sent as JSON with sorted keys, dependencies without labels', async () => {
  const request = { pkgName: 'q', channelName: 'fast', csvName: 'q.v0.1.0' };
  const found = (await one('GetBundle', request)) as JsonObject;
  expect(found).toMatchObject({ object: ['{"a":2,"b":1}'], dependencies: [] });
  expect(JSON.parse(textAt(found, 'csvJson'))).toMatchObject({
    metadata: { name: 'q.v0.1.0' },
    spec: { displayName: '' },
  });
});

test('CR-C17 documents of custom schemas come to those who acknowledge that this is experimental', async () => {
  const list = 'api.ExperimentalRegistry.ExperimentalListPackageCustomSchemas';
  const known = { 'x-acknowledge-experimental': 'true' };
  const request = { schema: 'shop.example', packageName: 'p' };
  expect(await call(list, request)).toEqual([[], '']);
  expect(await call(list, {})).toEqual([[], '']);
  const [[found]] = await call(list, request, known);
  expect(found).toMatchObject({
    fields: {
      name: { kind: { case: 'stringValue', value: 'one' } },
      price: { kind: { case: 'numberValue', value: 3 } },
      tags: { kind: { case: 'listValue', value: { values: expect.any(Array) as unknown } } },
    },
  });
  const [[withoutPackage, ...others]] = await call(list, { schema: 'shop.example' }, known);
  expect(withoutPackage).toMatchObject({ fields: { name: { kind: { value: 'two' } } } });
  expect(others).toEqual([]);
  expect(await call(list, { schema: 'olm.bundle' }, known)).toEqual([[], '']);
  expect(await call(list, {}, known)).toEqual([[], '3 schema is required']);
  expect((await call(list, { schema: '../x' }, known))[1]).toMatch(
    /^3 invalid custom schema query: invalid schema "\.\.\/x": must match \^/,
  );
});

test('health is reported, and services and messages are described to clients that have no descriptions of them', async () => {
  expect(await call('grpc.health.v1.Health.Check', {})).toEqual([[{ status: 1 }], '']);
  for (const version of ['v1', 'v1alpha']) {
    const reflect = async (messageRequest: object): Promise<JsonObject> => {
      const path = `grpc.reflection.${version}.ServerReflection.ServerReflectionInfo`;
      const [[answer]] = await call(path, { host: 'h', messageRequest });
      expect(answer).toMatchObject({ validHost: 'h' });
      return answer?.['messageResponse'] as JsonObject;
    };
    const { value: listed } = await reflect({ case: 'listServices', value: '' });
    expect(JSON.stringify(listed)).toContain('"api.Registry"');
    for (const value of [
      'api.Registry',
      'api.Registry.GetBundle',
      'api.Bundle',
      'grpc.health.v1.HealthCheckResponse',
    ]) {
      expect(await reflect({ case: 'fileContainingSymbol', value })).toMatchObject({ case: 'fileDescriptorResponse' });
    }
    expect(await reflect({ case: 'fileByFilename', value: 'registry.proto' })).toMatchObject({
      case: 'fileDescriptorResponse',
    });
    expect(await reflect({ case: 'fileContainingSymbol', value: 'api.Nothing' })).toEqual({
      case: 'errorResponse',
      value: { errorCode: 5, errorMessage: 'symbol "api.Nothing" not found' },
    });
  }
});

test('a request that is too large, or none, is refused, and the server goes on', async () => {
  expect(await one('GetPackage', { name: 'x'.repeat(100_000) })).toMatch(/^8 Received message larger than max/);
  const stream = caller.client.makeServerStreamRequest(
    '/api.Registry/GetPackage',
    () => Buffer.from('ffffff', 'hex'),
    (bytes) => bytes,
    {},
  );
  await expect(stream.toArray()).rejects.toThrow(/INTERNAL|UNKNOWN/);
  expect(await one('GetPackage', { name: 'q' })).toMatchObject({ name: 'q' });
});

test('watches of health are bounded over all connections, and take no place of other calls', async () => {
  await using registry = await startTestRegistry();
  const open = (): Client =>
    new Client(`127.0.0.1:${registry.port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const [many, late] = [open(), open()];
  const send = (from: Client, path: string): ClientReadableStream<Buffer> => {
    const stream = from.makeServerStreamRequest(
      path,
      () => Buffer.alloc(0),
      (bytes) => bytes,
      {},
    );
    stream.on('error', () => undefined);
    return stream;
  };
  const watch = async (from: Client): Promise<ClientReadableStream<Buffer>> => {
    const stream = send(from, '/grpc.health.v1.Health/Watch');
    await once(stream, 'data');
    return stream;
  };
  try {
    const watches = await Promise.all(Array.from({ length: 256 }, () => watch(many)));
    const refused = { code: 8, details: 'more than 256 watches and reflections at a time: try again later' };
    await expect(watch(late)).rejects.toMatchObject(refused);
    const reflection = send(late, '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo');
    await expect(reflection.toArray()).rejects.toMatchObject(refused);
    expect(await send(late, '/api.Registry/ListPackages').toArray()).toHaveLength(2);
    watches[0]?.cancel();
    await eventually(() => watch(late));
  } finally {
    many.close();
    late.close();
  }
});
