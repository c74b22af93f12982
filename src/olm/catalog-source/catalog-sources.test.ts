import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestRegistry } from '../../../test/support/catalog-registry.ts';
import {
  apiVersion,
  catalogFile,
  clock,
  cluster,
  create,
  dir,
  halt,
  label,
  metrics,
  packagesIn,
  push,
  ref,
  registry,
  restart,
  runCatalogSourcesForEachTest,
  sources,
  statusOf,
  untilState,
  user,
} from '../../../test/support/catalog-source-cluster.ts';
import { asksBasicAuthentication, eventually, startRegistry } from '../../../test/support/index.ts';
import { formatYaml, type JsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';

runCatalogSourcesForEachTest();

test('a catalog is read from its image, without a Pod, and is visible in its namespace alone', async () => {
  push('v1', catalogFile('p'));
  await create('a', { image: `${registry.host}/cat:v1`, priority: 3 });
  const status = await untilState('a', 'READY');
  expect(status).toMatchObject({ registryService: { protocol: 'grpc' } });
  expect([status.reason, status.message, status.latestImageRegistryPoll]).toEqual([undefined, undefined, undefined]);
  expect([packagesIn('team'), packagesIn('other')]).toEqual([['team/a: p'], []]);
  const pods = await cluster.kube.list({ apiVersion: 'v1', kind: 'Pod' });
  expect(pods.items).toEqual([]);
});

test('catalogs of the global namespace are visible in all; higher priorities come first, then own ones, then by name', async () => {
  push('v1', catalogFile('p'));
  const image = `${registry.host}/cat:v1`;
  await create('b', { image }, { namespace: 'olm' });
  await create('high', { image, priority: 9 }, { namespace: 'olm' });
  await create('z', { image });
  await create('y', { image });
  for (const [name, namespace] of [
    ['b', 'olm'],
    ['high', 'olm'],
    ['z', 'team'],
    ['y', 'team'],
  ] as const) {
    await untilState(name, 'READY', namespace);
  }
  expect(packagesIn('team')).toEqual(['olm/high: p', 'team/y: p', 'team/z: p', 'olm/b: p']);
  expect(packagesIn('other')).toEqual(['olm/high: p', 'olm/b: p']);
  await cluster.kube.patch(ref('high', 'olm'), { spec: { priority: -1 } }, user);
  await eventually(() => expect(packagesIn('other')).toEqual(['olm/b: p', 'olm/high: p']));
});

test.each([
  [{ sourceType: 'internal' }, 'configmap name unset: must be set for sourcetype: internal'],
  [{}, 'image and address unset: at least one must be set for sourcetype: grpc'],
  [{ sourceType: 'ftp' }, 'unknown sourcetype: ftp'],
])('the invalid spec %j is reported, and corrected by another one', async (spec, message) => {
  await create('a', spec);
  await eventually(async () => {
    expect(await statusOf('a')).toEqual({ reason: 'SpecInvalidError', message });
  });
  using held = sources.hold('team');
  expect(held.unavailable).toEqual([{ namespace: 'team', name: 'a', why: message }]);
  push('v1', catalogFile('p'));
  await cluster.kube.patch(ref('a'), { spec: { sourceType: 'grpc', image: `${registry.host}/cat:v1` } }, user);
  const status = await untilState('a', 'READY');
  expect(status.reason).toBeUndefined();
});

test('E-059 a tag is polled when it is due; content that cannot be read leaves the content before, and is reported', async () => {
  push('v1', catalogFile('p'));
  const updateStrategy = { registryPoll: { interval: '10m' } };
  await create('a', { image: `${registry.host}/cat:v1`, updateStrategy });
  const first = await untilState('a', 'READY');
  expect(first.latestImageRegistryPoll).toMatch(/Z$/);
  push('v1', 'schema: olm.package\n---\n- no object\n');
  const broken = await eventually(async () => {
    await clock.pass(11 * 60_000);
    const status = await statusOf('a');
    expect(status.reason).toBe('RegistryServerError');
    return status;
  });
  expect(broken.connectionState?.lastObservedState).toBe('READY');
  expect(broken.message).toMatch(
    /^couldn't ensure registry server - error storing fbc: .*catalog.yaml:3.*; the content of .*Z is still used$/s,
  );
  expect(packagesIn('team')).toEqual(['team/a: p']);
  push('v1', catalogFile('q'));
  await eventually(async () => {
    await clock.pass(11 * 60_000);
    expect(packagesIn('team')).toEqual(['team/a: q']);
  });
  const healed = await eventually(async () => {
    const status = await statusOf('a');
    expect(status.reason).toBeUndefined();
    return status;
  });
  expect(healed.latestImageRegistryPoll).not.toBe(first.latestImageRegistryPoll);
  expect((await metrics.show()).text).toContain('catalog_source_snapshots_total{namespace="team",name="a"} 2');
});

test('an interval that is no duration is replaced by the default one, and reported', async () => {
  push('v1', catalogFile('p'));
  await create('a', { image: `${registry.host}/cat:v1`, updateStrategy: { registryPoll: { interval: '10' } } });
  const status = await untilState('a', 'READY');
  expect(status).toMatchObject({
    reason: 'InvalidIntervalError',
    message:
      'error parsing spec.updateStrategy.registryPoll.interval. Using the default value of 15m0s instead. Error: time: missing unit in duration "10"',
  });
});

test('an image by digest is never polled, and read once even over a restart', async () => {
  const image = push('v1', catalogFile('p'));
  await create('a', { image, updateStrategy: { registryPoll: { interval: '10s' } } });
  await untilState('a', 'READY');
  const asked = registry.requests.length;
  await halt();
  await restart();
  await sources.whenReady;
  expect(packagesIn('team')).toEqual(['team/a: p']);
  await clock.pass(60 * 60_000);
  await eventually(() => expect(packagesIn('team')).toEqual(['team/a: p']));
  expect(registry.requests.length).toBe(asked);
});

test('a namespace that has its share of the disk stores no more, and others do', async () => {
  push('v1', catalogFile('p'));
  const image = `${registry.host}/cat:v1`;
  await create('a', { image });
  await untilState('a', 'READY');
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const index = entries.find(({ name }) => name.endsWith('.index'));
  const { size } = await stat(join(index?.parentPath ?? '', index?.name ?? ''));
  await halt();
  await restart(true, dir, 3 * size);
  await create('b', { image });
  await eventually(async () => {
    const { conditions = [], message = '' } = await statusOf('b');
    expect(`${message} ${conditions.map((one) => one.message).join(' ')}`).toContain(
      'the catalogs of namespace team take',
    );
  });
  await create('c', { image }, { namespace: 'other' });
  await untilState('c', 'READY', 'other');
  await create('d', { image }, { namespace: 'olm' });
  await untilState('d', 'READY', 'olm');
});

test('a missing image is reported with the cause, and the source is unavailable', async () => {
  await create('a', { image: `${registry.host}/cat:never` });
  const status = await untilState('a', 'TRANSIENT_FAILURE');
  expect(status.reason).toBe('RegistryServerError');
  expect(status.message).toMatch(/^couldn't ensure registry server - .*404 Not Found|Back-off pulling/);
  using held = sources.hold('team');
  expect(held.unavailable[0]?.why).toMatch(/^failed to list bundles: couldn't ensure registry server - /);
});

test('pull secrets of its own namespace open the registry; one that does not exist is named', async () => {
  await using closed = await startRegistry({ intercept: asksBasicAuthentication('user', 'secret') });
  const files = { 'configs/catalog.yaml': catalogFile('p') };
  closed.putImage('cat:v1', [{ files }], { [label]: '/configs' });
  const image = `${closed.host}/cat:v1`;
  await create('a', { image, secrets: ['absent'] });
  const refused = await untilState('a', 'TRANSIENT_FAILURE');
  expect(refused.message).toContain('secret "absent" not found');
  const auths = { [closed.host]: { username: 'user', password: 'secret' } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
  const type = 'kubernetes.io/dockerconfigjson';
  const metadata = { name: 'pull', namespace: 'team' };
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Secret', metadata, type, data } as unknown as KubeObject, user);
  await cluster.kube.patch(ref('a'), { spec: { secrets: ['absent', 'pull'] } }, user);
  await untilState('a', 'READY');
  expect(JSON.stringify(await statusOf('a'))).not.toContain('secret');
});

test('a catalog is read from a directory that the spec names, whatever its labels', async () => {
  push('v1', catalogFile('p'), {});
  const grpcPodConfig = { extractContent: { catalogDir: '/configs', cacheDir: '/cache' } };
  await create('a', { image: `${registry.host}/cat:v1`, grpcPodConfig });
  await untilState('a', 'READY');
  expect(packagesIn('team')).toEqual(['team/a: p']);
});

test.each([
  {
    what: 'more values than others may wait for',
    text: `kind: A\nv: [${'0,'.repeat(250_000)}0]\n`,
    problem: 'more than 200000',
  },
  {
    what: 'more bytes than a registry sends',
    text: JSON.stringify({ v: 'x'.repeat(6_500_000) }),
    problem: 'at most 8388608 bytes',
  },
])('the manifests of a bundle without an image, which have $what, are refused', async ({ text, problem }) => {
  const properties = [{ type: 'olm.bundle.object', value: { data: Buffer.from(text).toString('base64') } }];
  const documents = [
    { schema: 'olm.package', name: 'p', defaultChannel: 'stable' },
    { schema: 'olm.channel', package: 'p', name: 'stable', entries: [{ name: 'p.v1' }] },
    { schema: 'olm.bundle', package: 'p', name: 'p.v1', properties },
  ];
  push('v1', documents.map((document) => JSON.stringify(document)).join('\n'));
  await create('a', { image: `${registry.host}/cat:v1` });
  await untilState('a', 'READY');
  using held = sources.hold('team');
  await expect(held.manifestsOf({ namespace: 'team', name: 'a' }, 'p.v1')).rejects.toThrow(problem);
});

test('a registry is read by its address, and again after the connection was lost', async () => {
  let served = await startTestRegistry();
  const { port } = served;
  await create('a', { address: `127.0.0.1:${port}` });
  const status = await untilState('a', 'READY');
  expect(status).toMatchObject({ connectionState: { address: `127.0.0.1:${port}` } });
  expect(Object.keys(status.registryService ?? {}).toSorted()).toEqual(['createdAt', 'protocol']);
  expect(packagesIn('team')).toEqual(['team/a: p q']);
  using held = sources.hold('team');
  const manifests = await held.manifestsOf({ namespace: 'team', name: 'a' }, 'q.v1.0.0');
  expect(manifests?.map(({ kind }) => kind)).toEqual(['ClusterServiceVersion', 'Service']);
  expect(await held.manifestsOf({ namespace: 'team', name: 'a' }, 'p.v1.0.0')).toBeUndefined();
  await served[Symbol.asyncDispose]();
  const lost = await eventually(async () => {
    await clock.pass(1_000);
    const found = await statusOf('a');
    expect(found.reason).toBe('RegistryServerError');
    return found;
  });
  expect(lost.connectionState?.lastObservedState).toBe('TRANSIENT_FAILURE');
  expect(lost.message).toMatch(/^couldn't connect to registry - .*; the content of .* is still used$/);
  expect(packagesIn('team')).toEqual(['team/a: p q']);
  served = await startTestRegistry({ port });
  await eventually(async () => {
    await clock.pass(60_000);
    expect((await metrics.show()).text).toContain('catalog_source_snapshots_total{namespace="team",name="a"} 2');
    expect((await statusOf('a')).connectionState?.lastObservedState).toBe('READY');
  });
  await served[Symbol.asyncDispose]();
});

test.each([
  ['169.254.169.254:80', /link-local or a metadata service: nothing is sent there/],
  ['unix:///var/run/some.sock', /expected HOST:PORT/],
  ['dns:///example.com:50051', /expected HOST:PORT/],
])('the address %s is refused', async (address, message) => {
  await create('a', { address });
  const status = await untilState('a', 'TRANSIENT_FAILURE');
  expect(status.message).toMatch(message);
});

const csv = (name: string, version: string, replaces?: string): JsonObject => ({
  apiVersion,
  kind: 'ClusterServiceVersion',
  metadata: { name },
  spec: {
    displayName: 'Boat',
    version,
    ...(replaces === undefined ? {} : { replaces }),
    customresourcedefinitions: { owned: [{ name: 'boats.example.com', version: 'v1', kind: 'Boat' }] },
    install: { strategy: 'deployment', spec: { deployments: [] } },
  },
});
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Boat', plural: 'boats' },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
};

function listsOf(csvs: readonly JsonObject[], currentCSV: string): Record<string, string> {
  return {
    customResourceDefinitions: formatYaml([crd]),
    clusterServiceVersions: formatYaml(csvs),
    packages: formatYaml([{ packageName: 'boat', channels: [{ name: 'alpha', currentCSV }] }]),
  };
}

async function putConfigMap(name: string, data: Readonly<Record<string, string>>): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'team' }, data };
  await cluster.kube.apply(object as unknown as KubeObject, { ...user, force: true });
}

test('a catalog is read from a ConfigMap as soon as that exists, and again when it changes', async () => {
  await create('a', { sourceType: 'configmap', configMap: 'boats' });
  await eventually(async () => {
    expect(await statusOf('a')).toMatchObject({
      reason: 'ConfigMapError',
      message: 'failed to get catalog config map boats: configmaps "boats" not found',
    });
  });
  await putConfigMap('boats', listsOf([csv('boat.v1', '1.0.0')], 'boat.v1'));
  const status = await untilState('a', 'READY');
  expect(status).toMatchObject({ configMapReference: { name: 'boats', namespace: 'team' } });
  expect(status.reason).toBeUndefined();
  using held = sources.hold('team');
  const found = held.catalogs[0]?.package('boat');
  expect([found?.defaultChannel, found?.bundles.get('boat.v1')?.properties.map(({ type }) => type)]).toEqual([
    'alpha',
    ['olm.gvk', 'olm.package'],
  ]);
  const manifests = await held.manifestsOf({ namespace: 'team', name: 'a' }, 'boat.v1');
  expect(manifests?.map(({ kind }) => kind).toSorted()).toEqual(['ClusterServiceVersion', 'CustomResourceDefinition']);
  const configMap = await cluster.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team', name: 'boats' });
  expect(configMap.metadata.ownerReferences).toMatchObject([{ kind: 'CatalogSource', name: 'a' }]);
  await putConfigMap('boats', listsOf([csv('boat.v1', '1.0.0'), csv('boat.v2', '2.0.0', 'boat.v1')], 'boat.v2'));
  await eventually(() => {
    using now = sources.hold('team');
    expect(now.catalogs[0]?.package('boat')?.channels[0]?.entries).toMatchObject([
      { name: 'boat.v2', replaces: 'boat.v1' },
      { name: 'boat.v1' },
    ]);
  });
  // What was held stays as it was.
  expect(held.catalogs[0]?.package('boat')?.channels[0]?.entries).toHaveLength(1);
});

test('a ConfigMap that holds no catalog is refused, and not deleted with the CatalogSource', async () => {
  await putConfigMap('secrets', { password: 'x' });
  await create('a', { sourceType: 'internal', configMap: 'secrets' });
  await eventually(async () => {
    expect(await statusOf('a')).toMatchObject({
      reason: 'ConfigMapError',
      message: "configmap team/secrets: couldn't find expected key customResourceDefinitions in configmap",
      connectionState: { lastObservedState: 'TRANSIENT_FAILURE' },
    });
  });
  const configMap = await cluster.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team', name: 'secrets' });
  expect(configMap.metadata.ownerReferences).toBeUndefined();
});
