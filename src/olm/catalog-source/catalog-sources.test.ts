import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestRegistry } from '../../../test/support/catalog-registry.ts';
import {
  asksBasicAuthentication,
  type BareCluster,
  eventually,
  openBareCluster,
  type Registry,
  SteppedClock,
  startRegistry,
} from '../../../test/support/index.ts';
import { defaultContentLimits, formatYaml, type JsonObject, parseYaml, silentLogger } from '../../base/index.ts';
import { readRegistry, startRegistryServer } from '../../catalog/index.ts';
import { createManager } from '../../controller/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { createMetrics } from '../../metrics/index.ts';
import { indexConfigMap } from '../catalog-content/index-config-map.ts';
import { indexRegistry } from '../catalog-content/index-registry.ts';
import { unpackCatalog } from '../catalog-content/unpack-catalog.ts';
import { addCatalogSources, type CatalogSources } from './controller.ts';

const apiVersion = 'operators.coreos.com/v1alpha1';
const ref = (name: string, namespace = 'team') => ({ apiVersion, kind: 'CatalogSource', namespace, name });
const user = { fieldManager: 'test' };
const label = 'operators.operatorframework.io.index.configs.v1';
const settings = {
  limits: defaultContentLimits,
  insecureRegistries: [],
  registryCaPem: [],
  answerDeadlineMs: 10_000,
  platform: 'linux/amd64',
  deadlineMs: 60_000,
};
const readers = { image: unpackCatalog, address: indexRegistry, configMap: indexConfigMap };

let cluster: BareCluster;
let registry: Registry;
let dir: string;
let halt: () => Promise<void>;
let sources: CatalogSources;
let clock: SteppedClock;
let metrics = createMetrics();

beforeAll(async () => {
  cluster = await openBareCluster();
  registry = await startRegistry();
  const file = 'crds/olm/operators.coreos.com_catalogsources.yaml';
  await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
  await eventually(() => cluster.kube.list({ apiVersion, kind: 'CatalogSource' }));
  for (const name of ['team', 'other', 'olm']) {
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
  }
});

afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

async function start(
  isLeading = true,
  storeDir = dir,
  maxStoreBytes?: number,
): Promise<{ sources: CatalogSources; halt: () => Promise<void> }> {
  const stopper = new AbortController();
  const standby = { election: { isLeading: () => false, whenLeading: new Promise<boolean>(() => undefined) } };
  const manager = createManager({
    kube: cluster.kube,
    ...(isLeading ? {} : standby),
    clock,
    log: silentLogger(),
    metrics,
    signal: stopper.signal,
  });
  const added = await addCatalogSources(manager, {
    storeDir,
    globalNamespace: 'olm',
    ...(maxStoreBytes === undefined ? {} : { maxStoreBytes }),
    settings,
    readTerms: () => Promise.resolve({ mirrors: undefined, policy: undefined }),
    readers,
    grpc: { externalName: 'catalogs.test.example', port: 50_051 },
  });
  await manager.start();
  const stop = async (): Promise<void> => {
    stopper.abort();
    await manager.whenStopped();
  };
  return { sources: added, halt: stop };
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-catalog-sources-'));
  clock = new SteppedClock(Date.now());
  metrics = createMetrics();
  ({ sources, halt } = await start());
});

afterEach(async () => {
  const { items } = await cluster.kube.list({ apiVersion, kind: 'CatalogSource' });
  for (const { metadata } of items) {
    await cluster.kube.delete(ref(metadata.name ?? '', metadata.namespace)).catch(() => undefined);
  }
  await halt();
  await rm(dir, { recursive: true, force: true });
});

function catalogFile(packageName: string, more = ''): string {
  return `schema: olm.package
name: ${packageName}
defaultChannel: stable
---
{schema: olm.channel, package: ${packageName}, name: stable, entries: [{name: ${packageName}.v1}]}
---
schema: olm.bundle
package: ${packageName}
name: ${packageName}.v1
image: registry.example/x:v1
properties: [{type: olm.package, value: {packageName: ${packageName}, version: 1.0.0}}]
${more}`;
}

function push(tag: string, text: string, labels: Readonly<Record<string, string>> = { [label]: '/configs' }): string {
  const files = { 'configs/catalog.yaml': text, 'bin/opm': 'binary' };
  return `${registry.host}/cat@${registry.putImage(`cat:${tag}`, [{ files }], labels)}`;
}

async function create(name: string, spec: JsonObject, more: JsonObject = {}): Promise<void> {
  const { namespace = 'team', annotations = {} } = more as { namespace?: string; annotations?: Record<string, string> };
  const metadata = { name, namespace, annotations };
  const body = { apiVersion, kind: 'CatalogSource', metadata, spec: { sourceType: 'grpc', ...spec } };
  await cluster.kube.create(body as unknown as KubeObject, user);
}

interface Seen {
  readonly message?: string;
  readonly reason?: string;
  readonly connectionState?: { readonly lastObservedState: string; readonly address?: string };
  readonly registryService?: JsonObject;
  readonly configMapReference?: JsonObject;
  readonly latestImageRegistryPoll?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
}

async function statusOf(name: string, namespace = 'team'): Promise<Seen> {
  return ((await cluster.kube.get(ref(name, namespace)))['status'] ?? {}) as Seen;
}

async function untilState(name: string, state: string, namespace = 'team'): Promise<Seen> {
  return await eventually(async () => {
    const status = await statusOf(name, namespace);
    expect(status.connectionState?.lastObservedState).toBe(state);
    return status;
  });
}

function packagesIn(namespace: string): readonly string[] {
  using held = sources.hold(namespace);
  return held.catalogs.map((view) => `${view.namespace}/${view.name}: ${view.packageNames().join(' ')}`);
}

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
  ({ sources, halt } = await start());
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
  ({ sources, halt } = await start(true, dir, 3 * size));
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

test('the image follows the version of the cluster where a template names it', async () => {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(await cluster.kube.serverVersion()) ?? [];
  push(`v${major}.${minor}`, catalogFile('p'));
  const template = `${registry.host}/cat:v{kube_major_version}.{kube_minor_version}`;
  await create('a', { image: 'x' }, { annotations: { 'olm.catalogImageTemplate': template } });
  const status = await untilState('a', 'READY');
  expect(status.conditions).toMatchObject([
    { type: 'TemplatesHaveResolved', status: 'True', message: 'catalog image reference was successfully resolved' },
    { type: 'ResolvedImage', status: 'True', message: `${registry.host}/cat:v${major}.${minor}` },
  ]);
  await cluster.kube.patch(ref('a'), { metadata: { annotations: { 'olm.catalogImageTemplate': null } } }, user);
  await eventually(async () => expect((await statusOf('a')).conditions ?? []).toEqual([]));
});

test('what is stored of a CatalogSource goes with it, and another one of its name is another catalog', async () => {
  push('v1', catalogFile('p'));
  await create('a', { image: `${registry.host}/cat:v1` });
  await untilState('a', 'READY');
  const notified: string[] = [];
  using _listener = sources.subscribe(({ namespace, name }) => notified.push(`${namespace}/${name}`));
  await cluster.kube.delete(ref('a'));
  await create('a', { image: `${registry.host}/cat:never` });
  await untilState('a', 'TRANSIENT_FAILURE');
  expect(packagesIn('team')).toEqual([]);
  expect(notified).toContain('team/a');
  await cluster.kube.delete(ref('a'));
  await eventually(async () => {
    using held = sources.hold('team');
    expect([held.catalogs, held.unavailable]).toEqual([[], []]);
    expect((await metrics.show()).text).not.toContain('name="a"');
  });
});

test('a process on standby reads for itself and writes nothing', async () => {
  await halt();
  ({ sources, halt } = await start(false));
  push('v1', catalogFile('p'));
  await create('a', { image: `${registry.host}/cat:v1` });
  await eventually(() => expect(packagesIn('team')).toEqual(['team/a: p']));
  expect(await statusOf('a')).toEqual({});
});

const service = (name: string) => ({ apiVersion: 'v1', kind: 'Service', namespace: 'team', name });
const requested = { 'olm.longshore.dev/grpc-service': 'true' };

test('E-058 other clients reach a catalog by a Service where that was requested, which is created again', async () => {
  push('v1', catalogFile('p'));
  const image = `${registry.host}/cat:v1`;
  await create('a.b', { image }, { annotations: requested });
  await create('c', { image });
  const status = await untilState('a.b', 'READY');
  await untilState('c', 'READY');
  expect(status).toMatchObject({
    connectionState: { address: 'a-b.team.svc:50051' },
    registryService: { protocol: 'grpc', serviceName: 'a-b', serviceNamespace: 'team', port: '50051' },
  });
  expect((await cluster.kube.get(service('a-b')))['spec']).toMatchObject({
    type: 'ExternalName',
    externalName: 'catalogs.test.example',
  });
  await using server = await startRegistryServer({
    host: '127.0.0.1',
    port: 0,
    log: silentLogger(),
    catalog: (authority) => sources.catalogAt(authority),
  });
  const endpoints = [{ address: '127.0.0.1', port: server.port }];
  const read = async (authority: string): Promise<readonly string[]> => {
    const names: string[] = [];
    for await (const meta of readRegistry(authority, { endpoints })) names.push(`${meta.schema} ${meta.name}`);
    return names;
  };
  expect(await read('a-b.team.svc:50051')).toEqual(['olm.package p', 'olm.channel stable', 'olm.bundle p.v1']);
  expect(await read('a-b.team.svc.cluster.local:50051')).toHaveLength(3);
  await expect(read('c.team.svc:50051')).rejects.toThrow('no catalog is served as "c.team.svc:50051"');
  await cluster.kube.delete(service('a-b'));
  await eventually(() => cluster.kube.get(service('a-b')));
  const annotations = { 'olm.longshore.dev/grpc-service': null };
  await cluster.kube.patch(ref('a.b'), { metadata: { annotations } }, user);
  await eventually(async () => {
    await expect(cluster.kube.get(service('a-b'))).rejects.toThrow('not found');
    expect((await statusOf('a.b')).connectionState?.address).toBeUndefined();
  });
});

test('a Service that belongs to others is not changed, and reported', async () => {
  push('v1', catalogFile('p'));
  const spec = { ports: [{ port: 80 }] };
  const metadata = { name: 'taken', namespace: 'team' };
  await cluster.kube.create({ apiVersion: 'v1', kind: 'Service', metadata, spec } as unknown as KubeObject, user);
  await create('taken', { image: `${registry.host}/cat:v1` }, { annotations: requested });
  const status = await untilState('taken', 'READY');
  expect(status).toMatchObject({
    reason: 'RegistryServerError',
    message: "couldn't ensure registry server - service team/taken exists and does not belong to this CatalogSource",
  });
  expect((await cluster.kube.get(service('taken')))['spec']).toMatchObject({ ports: [{ port: 80 }] });
  await cluster.kube.patch(
    ref('taken'),
    { metadata: { annotations: { 'olm.longshore.dev/grpc-service': null } } },
    user,
  );
  await eventually(async () => expect((await statusOf('taken')).reason).toBeUndefined());
  await cluster.kube.get(service('taken'));
});

test('Pod and Service that OLM has made for an image stay after a takeover, and the catalog does not need them', async () => {
  await halt();
  push('v1', catalogFile('p'));
  await create('left', { image: `${registry.host}/cat:v1` });
  const source = await cluster.kube.get(ref('left'));
  const { uid = '' } = source.metadata;
  const owner = { apiVersion, kind: 'CatalogSource', name: 'left', uid, controller: false, blockOwnerDeletion: false };
  const metadata = { namespace: 'team', labels: { 'olm.catalogSource': 'left' }, ownerReferences: [owner] };
  const containers = [{ name: 'registry-server', image: `${registry.host}/cat:v1` }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'left-x7k2p' }, spec: { containers } };
  const ports = [{ name: 'grpc', port: 50_051, targetPort: 50_051 }];
  const spec = { selector: { 'olm.catalogSource': 'left' }, ports };
  const left = [pod, { apiVersion: 'v1', kind: 'Service', metadata: { ...metadata, name: 'left' }, spec }];
  const made: KubeObject[] = [];
  for (const object of left) made.push(await cluster.kube.create(object as unknown as KubeObject, user));
  const address = 'left.team.svc:50051';
  const connectionState = { address, lastConnect: '2026-01-01T00:00:00Z', lastObservedState: 'TRANSIENT_FAILURE' };
  const registryService = {
    createdAt: '2026-01-01T00:00:00Z',
    port: '50051',
    protocol: 'grpc',
    serviceName: 'left',
    serviceNamespace: 'team',
  };
  const status = { connectionState, registryService };
  await cluster.kube.patch(ref('left'), { status }, { fieldManager: 'catalog', subresource: 'status' });

  ({ sources, halt } = await start());
  const taken = await untilState('left', 'READY');
  expect(packagesIn('team')).toEqual(['team/left: p']);
  expect(taken.connectionState?.address).toBeUndefined();
  expect(taken.registryService).toEqual({ createdAt: '2026-01-01T00:00:00Z', protocol: 'grpc' });
  for (const { apiVersion: version, kind, metadata: before } of made) {
    const live = await cluster.kube.get({ apiVersion: version, kind, namespace: 'team', name: before.name ?? '' });
    expect([live.metadata.uid, live.metadata.labels]).toEqual([before.uid, before.labels]);
  }
  await cluster.kube.delete({ ...service('left') });
  await cluster.kube.delete({ apiVersion: 'v1', kind: 'Pod', namespace: 'team', name: 'left-x7k2p' });
  await clock.pass(60 * 60_000);
  await eventually(() => expect(packagesIn('team')).toEqual(['team/left: p']));
});

test('nothing is requested or written once all is well', async () => {
  push('v1', catalogFile('p'));
  await create('a', { image: `${registry.host}/cat:v1` });
  await untilState('a', 'READY');
  const { metadata } = await cluster.kube.get(ref('a'));
  const asked = registry.requests.length;
  sources.retry();
  await clock.pass(60 * 60_000);
  await eventually(() => expect(packagesIn('team')).toEqual(['team/a: p']));
  expect((await cluster.kube.get(ref('a'))).metadata.resourceVersion).toBe(metadata.resourceVersion);
  expect(registry.requests.length).toBe(asked);
});
