import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type BareCluster,
  eventually,
  openBareCluster,
  type Registry,
  SteppedClock,
  startRegistry,
} from '../../../test/support/index.ts';
import { defaultContentLimits, type JsonObject, parseYaml, silentLogger } from '../../base/index.ts';
import { createManager } from '../../controller/index.ts';
import { isNotFound, type KubeObject } from '../../kube/index.ts';
import { unpackCatalog } from '../catalog-content/unpack-catalog.ts';
import { addClusterCatalogs, type ClusterCatalogs } from './controller.ts';

const ref = (name: string) => ({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name });
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

let cluster: BareCluster;
let registry: Registry;
let dir: string;
let halt: () => Promise<void>;
let catalogs: ClusterCatalogs;
let clock: SteppedClock;

beforeAll(async () => {
  cluster = await openBareCluster();
  registry = await startRegistry();
  const file = 'crds/olm.operatorframework.io_clustercatalogs.yaml';
  await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
  await eventually(() => cluster.kube.list({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' }));
});

afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

interface Started {
  readonly catalogs: ClusterCatalogs;
  readonly halt: () => Promise<void>;
}

async function start(isLeading = true, storeDir = dir): Promise<Started> {
  const stopper = new AbortController();
  const standby = { election: { isLeading: () => false, whenLeading: new Promise<boolean>(() => undefined) } };
  const manager = createManager({
    kube: cluster.kube,
    ...(isLeading ? {} : standby),
    clock,
    log: silentLogger(),
    signal: stopper.signal,
  });
  const started = await addClusterCatalogs(manager, {
    storeDir,
    baseUrl: 'https://catalogs.test.svc',
    settings,
    readTerms: () => Promise.resolve({ pullSecrets: undefined, mirrors: undefined, policy: undefined }),
    unpack: unpackCatalog,
  });
  await manager.start();
  const halt = async (): Promise<void> => {
    stopper.abort();
    await manager.whenStopped();
  };
  return { catalogs: started, halt };
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-cluster-catalogs-'));
  clock = new SteppedClock(Date.now());
  ({ catalogs, halt } = await start());
});

async function deleteCatalogs(): Promise<void> {
  const { items } = await cluster.kube.list({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' });
  for (const { metadata } of items) await cluster.kube.delete(ref(metadata.name ?? '')).catch(() => undefined);
  await eventually(async () => {
    const left = await cluster.kube.list({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' });
    expect(left.items).toEqual([]);
  });
}

afterEach(async () => {
  await deleteCatalogs();
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
  const { apiVersion, kind } = ref(name);
  const source = { type: 'Image', image: { ref: `${registry.host}/cat:v1`, ...more } };
  await cluster.kube.create(
    { apiVersion, kind, metadata: { name }, spec: { source, ...spec } } as unknown as KubeObject,
    user,
  );
}

interface Seen {
  readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
  readonly resolvedSource?: { readonly image: { readonly ref: string } };
  readonly urls?: { readonly base: string };
  readonly lastUnpacked?: string;
}

async function statusOf(name: string): Promise<Seen> {
  return ((await cluster.kube.get(ref(name)))['status'] ?? {}) as Seen;
}

async function untilSeen(name: string, expected: readonly string[]): Promise<Seen> {
  return await eventually(async () => {
    const status = await statusOf(name);
    const seen = (status.conditions ?? []).map(({ type, status: value, reason }) => `${type} ${value} ${reason}`);
    expect(seen).toEqual(expect.arrayContaining([...expected]));
    return status;
  });
}

const served = ['Progressing True Succeeded', 'Serving True Available', 'Valid True AllPackagesValid'];
const packagesOf = (name: string): readonly string[] | undefined => catalogs.index(name)?.packageNames();
const messageOf = ({ conditions }: Seen, type: string): string =>
  conditions?.find((condition) => condition.type === type)?.message ?? '';

test('a catalog is unpacked from its image, and its status reports what is served and where', async () => {
  const pinned = push('v1', catalogFile('p'));
  await create('a', { priority: 7 });
  const status = await untilSeen('a', served);
  expect(status).toMatchObject({
    resolvedSource: { type: 'Image', image: { ref: pinned } },
    urls: { base: 'https://catalogs.test.svc/catalogs/a' },
    lastUnpacked: expect.stringMatching(/Z$/) as unknown,
  });
  expect(messageOf(status, 'Progressing')).toBe('Successfully unpacked and stored content from resolved source');
  expect(messageOf(status, 'Serving')).toBe('Serving desired content from resolved source');
  const { metadata } = await cluster.kube.get(ref('a'));
  expect(metadata.finalizers).toEqual(['olm.operatorframework.io/delete-server-cache']);
  using held = catalogs.views.hold();
  expect(held.catalogs.map((view) => [view.name, view.priority, view.packageNames()])).toEqual([['a', 7, ['p']]]);
});

test('catalogs of a registry that never answers, however many, do not hold up those of another one', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).resume());
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  try {
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    for (let index = 0; index < 6; index++) await create(`silent-${index}`, {}, { ref: `${host}/cat:v1` });
    for (const count of [2, 4]) {
      await eventually(() => expect(sockets.size).toBe(count));
      await clock.pass(30_000);
    }
    push('v1', catalogFile('p'));
    await create('good', {});
    await untilSeen('good', served);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

test('CR-C22 the content of an unavailable catalog is removed, and unpacked again once it is available', async () => {
  push('v1', catalogFile('p'));
  await create('a', {});
  await untilSeen('a', served);
  await cluster.kube.patch(ref('a'), { spec: { availabilityMode: 'Unavailable' } }, user);
  const status = await untilSeen('a', ['Serving False UserSpecifiedUnavailable']);
  expect(messageOf(status, 'Serving')).toBe('Catalog availability mode is set to Unavailable');
  expect([status.resolvedSource, status.urls, status.lastUnpacked]).toEqual([undefined, undefined, undefined]);
  expect([catalogs.names(), packagesOf('a')]).toEqual([[], undefined]);
  await cluster.kube.patch(ref('a'), { spec: { availabilityMode: 'Available' } }, user);
  await untilSeen('a', served);
  expect(packagesOf('a')).toEqual(['p']);
});

test('CR-C23 a tag is polled when it is due, and unpacked when it has moved', async () => {
  const first = push('v1', catalogFile('p'));
  await create('a', {}, { pollIntervalMinutes: 10 });
  const before = await untilSeen('a', served);
  const manifests = (): number => registry.requests.filter((line) => line.includes('/manifests/v1')).length;
  const polls = manifests();
  await eventually(async () => {
    await clock.pass(11 * 60_000);
    expect(manifests()).toBeGreaterThan(polls);
  });
  expect(await statusOf('a')).toMatchObject({
    lastUnpacked: before.lastUnpacked,
    resolvedSource: { image: { ref: first } },
  });
  const second = push('v1', catalogFile('q'));
  await eventually(async () => {
    await clock.pass(11 * 60_000);
    expect((await statusOf('a')).resolvedSource?.image.ref).toBe(second);
  });
  expect(packagesOf('a')).toEqual(['q']);
  expect((await statusOf('a')).lastUnpacked).not.toBe(before.lastUnpacked);
});

test('CR-C24 the old content is served while a new image is broken', async () => {
  const first = push('v1', catalogFile('p'));
  await create('a', {}, { pollIntervalMinutes: 10 });
  await untilSeen('a', served);
  push('v1', 'schema: olm.package\n---\n- no object\n---\nname: x\n');
  const status = await eventually(async () => {
    await clock.pass(11 * 60_000);
    return await untilSeen('a', ['Progressing True Retrying', 'Serving True Available']);
  });
  expect(messageOf(status, 'Progressing')).toMatch(
    /^error storing fbc: 2 documents or files cannot be read:\n {2}catalog.yaml:3: /,
  );
  expect(status.resolvedSource?.image.ref).toBe(first);
  expect(packagesOf('a')).toEqual(['p']);
  push('v1', catalogFile('q'));
  await eventually(async () => {
    await clock.pass(11 * 60_000);
    await untilSeen('a', served);
    expect(packagesOf('a')).toEqual(['q']);
  });
});

test('CR-C24 an image without the label is a terminal error by digest, and retried by tag', async () => {
  const text = 'catalog image is missing the required label "operators.operatorframework.io.index.configs.v1"';
  const pinned = push('v1', catalogFile('p'), {});
  await create('tag', {});
  const byTag = await untilSeen('tag', ['Progressing True Retrying', 'Serving False Unavailable']);
  expect(messageOf(byTag, 'Progressing')).toBe(`source catalog content: ${text}`);
  await create('digest', {}, { ref: pinned });
  const byDigest = await untilSeen('digest', ['Progressing False Blocked', 'Serving False Unavailable']);
  expect(messageOf(byDigest, 'Progressing')).toBe(text);
  push('v1', catalogFile('p'));
  await eventually(async () => {
    await clock.pass(6 * 60_000);
    await untilSeen('tag', served);
  });
});

test('for a missing tag the response of the registry is reported', async () => {
  await create('a', {}, { ref: `${registry.host}/cat:never` });
  const status = await untilSeen('a', ['Progressing True Retrying', 'Serving False Unavailable']);
  expect(messageOf(status, 'Progressing')).toMatch(
    /^source catalog content: Back-off pulling image ".*\/cat:never": GET .*\/manifests\/never: 404 Not Found/,
  );
});

test('an unreachable registry is retried', async () => {
  await create('a', {}, { ref: '127.0.0.1:1/cat:v1' });
  const status = await eventually(async () => {
    await clock.pass(60_000);
    const found = await statusOf('a');
    expect(found.conditions).toContainEqual(expect.objectContaining({ type: 'Progressing', reason: 'Retrying' }));
    return found;
  });
  expect(messageOf(status, 'Progressing')).toMatch(/^source catalog content: .*127\.0\.0\.1:1/);
});

test('violations of rules are reported per package, and the catalog is still served', async () => {
  push('v1', catalogFile('p', '---\n{schema: olm.package, name: q, defaultChannel: missing}\n'));
  await create('a', {});
  const status = await untilSeen('a', [
    'Progressing True Succeeded',
    'Serving True Available',
    'Valid False InvalidPackages',
  ]);
  expect(messageOf(status, 'Valid')).toContain('package "q": catalog.yaml:');
  expect(packagesOf('a')).toContain('p');
});

test('CR-C26 a catalog that is deleted leaves nothing behind', async () => {
  push('v1', catalogFile('p'));
  await create('a', {});
  await untilSeen('a', served);
  await cluster.kube.delete(ref('a'));
  await eventually(async () => {
    const thrown: unknown = await cluster.kube.get(ref('a')).catch((error: unknown) => error);
    expect(isNotFound(thrown)).toBe(true);
    expect(catalogs.names()).toEqual([]);
  });
});

test('CR-C26 stored content is served after a restart without asking the registry; lost content is fetched by its digest', async () => {
  const pinned = push('v1', catalogFile('p'));
  await create('a', { priority: 7 });
  await untilSeen('a', served);
  await halt();
  const asked = registry.requests.length;
  ({ catalogs, halt } = await start());
  await catalogs.whenCaughtUp;
  expect([packagesOf('a'), registry.requests.length]).toEqual([['p'], asked]);
  expect(catalogs.index('a')?.priority).toBe(7);
  await halt();
  push('v1', catalogFile('q'));
  await rm(dir, { recursive: true, force: true });
  ({ catalogs, halt } = await start());
  await eventually(() => expect(packagesOf('a')).toEqual(['p']));
  expect((await statusOf('a')).resolvedSource?.image.ref).toBe(pinned);
});

test('a standby process has the content that the leader selected', async () => {
  const standbyDir = await mkdtemp(join(tmpdir(), 'longshore-standby-'));
  const standby = await start(false, standbyDir);
  try {
    push('v1', catalogFile('p'));
    await create('a', {});
    await untilSeen('a', served);
    await eventually(() => expect(standby.catalogs.index('a')?.packageNames()).toEqual(['p']));
    await cluster.kube.delete(ref('a'));
    await eventually(() => expect(standby.catalogs.names()).toEqual([]));
  } finally {
    await standby.halt();
    await rm(standbyDir, { recursive: true, force: true });
  }
});
