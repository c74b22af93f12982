import { expect, test } from 'vitest';
import {
  apiVersion,
  catalogFile,
  clock,
  cluster,
  create,
  halt,
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
import { eventually } from '../../../test/support/index.ts';
import { silentLogger } from '../../base/index.ts';
import { readRegistry, startRegistryServer } from '../../catalog/index.ts';
import type { KubeObject } from '../../kube/index.ts';

runCatalogSourcesForEachTest();

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
  await restart(false);
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

  await restart();
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
