import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as requestOverTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../support/index.ts';
import { conditionOf, errorOf, startWorld, statusOf, type World } from './world.ts';

const apiVersion = 'olm.operatorframework.io/v1';
const label = 'operators.operatorframework.io.index.configs.v1';
const user = { fieldManager: 'test' };
const patience = { timeoutMs: 60_000 };
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const why = hasKubectl ? '' : ' (skipped: kubectl is not installed)';

let world: World;
let authority = '';
let pinned = '';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Asks the server of catalogs; a path that does not begin with `/` is of the catalog `shop`. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body = '' }: { readonly method?: string; readonly body?: string } = {},
): Promise<Answer> {
  const url = `${world.platform.catalogsUrl}${path.startsWith('/') ? path : `/catalogs/shop/api/v1/${path}`}`;
  return await new Promise((resolve, reject) => {
    const call = requestOverTls(url, { method, ca: authority, headers, agent: false }, (reply) => {
      let text = '';
      reply.on('data', (chunk: Buffer) => (text += chunk.toString()));
      reply.once('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
    });
    call.once('error', reject).end(body);
  });
}

const namesIn = ({ text }: Answer): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { schema: string; name: string })
    .map(({ schema, name }) => `${schema} ${name}`);

function catalogOf(packageName: string): string {
  return `
{schema: olm.package, name: ${packageName}, defaultChannel: stable}
---
{schema: olm.channel, package: ${packageName}, name: stable, entries: [{name: ${packageName}.v1}]}
---
schema: olm.bundle
package: ${packageName}
name: ${packageName}.v1
image: registry.example/${packageName}:v1
properties: [{type: olm.package, value: {packageName: ${packageName}, version: 1.0.0}}]
`;
}

function push(tag: string, text: string): string {
  const files = { 'configs/catalog.yaml': text, 'bin/opm': 'a program' };
  return world.registry.putImage(`shop:${tag}`, [{ files }], { [label]: '/configs' });
}

function catalog(name: string, image: Readonly<Record<string, unknown>>): KubeObject {
  return {
    apiVersion,
    kind: 'ClusterCatalog',
    metadata: { name },
    spec: { source: { type: 'Image', image } },
  } as never;
}

const refOf = (name: string) => ({ apiVersion, kind: 'ClusterCatalog', name });

async function catalogWith(name: string, expected: Readonly<Record<string, string>>): Promise<KubeObject> {
  return await eventually(async () => {
    const found = await world.kube.get(refOf(name));
    const seen = Object.keys(expected).map((type) => [type, conditionOf(found, type)?.reason]);
    expect(Object.fromEntries(seen)).toEqual(expected);
    expect(conditionOf(found, 'Progressing')?.observedGeneration).toBe(found.metadata.generation);
    return found;
  }, patience);
}

/** Beside the server, which runs in this very process. */
async function kubectl(...args: readonly string[]): Promise<string> {
  const shown = await promisify(execFile)('kubectl', ['--kubeconfig', world.platform.kubeconfigPath, ...args]);
  return shown.stdout;
}

beforeAll(async () => {
  world = await startWorld(['--catalog-graphql']);
  const { kube } = world;
  await eventually(async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'rukpak-system', name: 'default' };
    await kube.patch(account, { imagePullSecrets: [{ name: 'registrysecret' }] }, user);
  }, patience);
  const secret = await kube.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'rukpak-system', name: 'rukpak-ca' });
  authority = Buffer.from((secret['data'] as Record<string, string>)['ca.crt'] ?? '', 'base64').toString();
  pinned = `${world.registry.host}/shop@${push('v1', catalogOf('coffee'))}`;
  await kube.create(catalog('shop', { ref: `${world.registry.host}/shop:v1` }), user);
  await catalogWith('shop', { Progressing: 'Succeeded', Serving: 'Available', Valid: 'AllPackagesValid' });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

test('CR-C19 a catalog that is available is served, with 304 when it has not changed', async () => {
  const status = statusOf(await world.kube.get(refOf('shop')));
  expect(status).toMatchObject({
    resolvedSource: { type: 'Image', image: { ref: pinned } },
    urls: { base: `${world.platform.catalogsUrl}/catalogs/shop` },
  });
  const all = await ask('all');
  expect([all.status, all.headers['content-type']]).toEqual([200, 'application/jsonl']);
  expect(namesIn(all)).toEqual(['olm.package coffee', 'olm.channel stable', 'olm.bundle coffee.v1']);
  const since = String(all.headers['last-modified']);
  expect((await ask('all', { 'if-modified-since': since })).status).toBe(304);
});

test('CR-C20, CR-C21 parts of a catalog are served, and what does not exist is reported', async () => {
  expect(namesIn(await ask('metas?schema=olm.bundle&package=coffee'))).toEqual(['olm.bundle coffee.v1']);
  expect(namesIn(await ask('metas?name=coffee'))).toEqual(['olm.package coffee']);
  expect((await ask('metas?foo=1')).status).toBe(400);
  expect((await ask('metas')).text).toBe((await ask('all')).text);
  const statuses = await Promise.all([
    ask('all', {}, { method: 'POST' }),
    ask('nope'),
    ask('/catalogs/other/api/v1/all'),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([405, 404, 404]);
});

test('CR-C27 a catalog answers GraphQL queries if enabled', async () => {
  const query = async (text: string): Promise<Answer> =>
    await ask('graphql', {}, { method: 'POST', body: JSON.stringify({ query: text }) });
  expect(JSON.parse((await query('{ olmbundles { name } }')).text)).toEqual({
    data: { olmbundles: [{ name: 'coffee.v1' }] },
  });
  const deep = `${'{ a '.repeat(10)}{ b }${' }'.repeat(10)}`;
  expect((await query(deep)).text).toContain('query exceeds maximum depth of 10');
});

test('a catalog has its name as a label, which cannot be removed', async () => {
  const key = 'olm.operatorframework.io/metadata.name';
  expect((await world.kube.get(refOf('shop'))).metadata.labels).toMatchObject({ [key]: 'shop' });
  const changed = await world.kube.patch(refOf('shop'), { metadata: { labels: { [key]: 'other', a: 'b' } } }, user);
  expect(changed.metadata.labels).toMatchObject({ [key]: 'shop', a: 'b' });
});

test.skipIf(!hasKubectl)(`CR-C25 kubectl shows catalogs, and is refused what cannot be${why}`, async () => {
  expect(await kubectl('get', 'clustercatalogs')).toMatch(
    /^NAME +LASTUNPACKED +SERVING +AGE\nshop +\d+[ms]\S* +True +\d/,
  );
  const image = { ref: `${world.registry.host}/shop@sha256:${'a'.repeat(64)}`, pollIntervalMinutes: 5 };
  const folder = await mkdtemp(join(tmpdir(), 'longshore-catalog-'));
  const file = join(folder, 'polled.json');
  await writeFile(file, JSON.stringify(catalog('polled', image)));
  const refused = await errorOf(kubectl('apply', '-f', file));
  await rm(folder, { recursive: true });
  expect(String(refused)).toContain('cannot specify pollIntervalMinutes while using digest-based image');
});

test('CR-C22 an unavailable catalog is not served until it is available again', async () => {
  const setMode = async (availabilityMode: string): Promise<void> => {
    await world.kube.patch(refOf('shop'), { spec: { availabilityMode } }, user);
  };
  await setMode('Unavailable');
  await catalogWith('shop', { Serving: 'UserSpecifiedUnavailable' });
  expect((await ask('all')).status).toBe(404);
  await setMode('Available');
  await catalogWith('shop', { Progressing: 'Succeeded', Serving: 'Available' });
  expect((await ask('all')).status).toBe(200);
});

test('CR-C24 the old content is served while a new image is broken, and Events report it', async () => {
  push('broken', 'schema: olm.package\n---\n[1]\n');
  const setRef = async (tag: string): Promise<void> => {
    const source = { type: 'Image', image: { ref: `${world.registry.host}/shop:${tag}` } };
    await world.kube.patch(refOf('shop'), { spec: { source } }, user);
  };
  await setRef('broken');
  const found = await catalogWith('shop', { Progressing: 'Retrying', Serving: 'Available' });
  const message = conditionOf(found, 'Progressing')?.message ?? '';
  expect(message).toMatch(/^error storing fbc: catalog\.yaml:3: /);
  expect(namesIn(await ask('all'))).toContain('olm.package coffee');
  await eventually(async () => {
    const { items } = await world.kube.list({ apiVersion: 'v1', kind: 'Event' });
    const reported = items.filter((event) => event['reason'] === 'Retrying').map((event) => event['message']);
    expect(reported).toContain(message);
  }, patience);
  push('v2', catalogOf('tea'));
  await setRef('v2');
  await catalogWith('shop', { Progressing: 'Succeeded', Serving: 'Available' });
  expect(namesIn(await ask('all'))).toContain('olm.package tea');
});

test('CR-C26 a deleted catalog is not served any more, and its object is removed', async () => {
  await world.kube.delete(refOf('shop'));
  await eventually(async () => {
    expect(isNotFound(await errorOf(world.kube.get(refOf('shop'))))).toBe(true);
    expect((await ask('all')).status).toBe(404);
  }, patience);
});
