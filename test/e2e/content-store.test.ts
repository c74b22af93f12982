import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually, fileEntries, startWebServer, tarFile } from '../support/index.ts';
import { application, valid } from './contents.ts';
import { bundle, bundleDeployment, conditionOf, problemOf, startWorld, statusOf, type World } from './world.ts';

const rbac = 'rbac.authorization.k8s.io';
/** As much as three of the contents here. */
const storeMebibytes = '2';

let world: World;
const tokens: Record<string, string> = {};
let ca = '';

/** A bundle that takes more than half a mebibyte, however it is compressed. */
function large(name: string): Record<string, string> {
  return { ...application(name, 1), 'noise.bin': randomBytes(550_000).toString('hex') };
}

interface Asked {
  readonly as?: string;
  readonly method?: string;
  readonly body?: Buffer;
}

async function ask(path: string, asked: Asked = {}): Promise<{ status: number; body: Buffer }> {
  const { as = 'reader', method = 'GET', body } = asked;
  const headers = { authorization: `Bearer ${tokens[as] ?? ''}` };
  const sent = request(new URL(path, world.platform.contentUrl), { method, ca, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: Buffer.concat(await response.toArray()) };
}

const fileOf = (name: string): string => join(world.platform.storeDir, `${name}.tgz`);

/** As if it had not been used for an hour, or for longer. */
async function age(name: string, hours = 1): Promise<void> {
  const then = new Date(Date.now() - hours * 3_600_000);
  await utimes(join(world.platform.storeDir, 'records', `${name}.json`), then, then);
}

async function unpack(name: string): Promise<void> {
  await world.kube.create(bundle(name, world.imageSource(`${name}:v1`, large(name))), { fieldManager: 'test' });
  await world.bundleWithPhase(name, 'Unpacked');
}

/** A service account with ClusterRoles, and its token. */
async function createAccount(name: string, roles: readonly string[]): Promise<void> {
  const metadata = { name, namespace: 'default' };
  await world.kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, { fieldManager: 'test' });
  for (const role of roles) {
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: role };
    const subjects = [{ kind: 'ServiceAccount', ...metadata }];
    const binding = {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: role },
      subjects,
      roleRef,
    };
    await world.kube.create(binding as never, { fieldManager: 'test' });
  }
  tokens[name] = await world.tokenOf(name);
}

/** Samples as Prometheus reads them. */
async function samples(): Promise<Readonly<Record<string, number>>> {
  const { status, body } = await ask('/metrics', { as: 'prometheus' });
  expect(status).toBe(200);
  const lines = body
    .toString()
    .split('\n')
    .filter((line) => /^[a-z]/.test(line));
  return Object.fromEntries(lines.map((line) => [line.replace(/ .*/, ''), Number(line.replace(/.* /, ''))]));
}

/** A deployment whose content comes from a web server. */
async function installFromWeb(
  name: string,
  url: string,
): Promise<{ readonly bundleName: string; readonly file: string }> {
  await world.kube.create(bundleDeployment(name, { type: 'http', http: { url } }), { fieldManager: 'test' });
  const installed = await world.deploymentWith(name, { type: 'Installed', status: 'True' });
  const bundleName = String(statusOf(installed)['activeBundle']);
  return { bundleName, file: fileOf(bundleName) };
}

/** Has others take the room of a content. */
async function evict(bundleName: string): Promise<void> {
  const records = await readdir(join(world.platform.storeDir, 'records'));
  for (const record of records) await age(record.replace(/\.json$/, ''));
  await age(bundleName, 2);
  for (let count = 1; existsSync(fileOf(bundleName)); count++) await unpack(`${bundleName.slice(0, 20)}-${count}`);
}

const deployed = (name: string): Promise<KubeObject> => world.get('BundleDeployment', name);

async function removeSettings(namespace: string): Promise<void> {
  await world.kube.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settings' });
}

/** The status without the digest of the objects: one that was created again is another. */
function withoutState(object: KubeObject): Record<string, unknown> {
  const { record, ...status } = statusOf(object);
  const { inPlace: _, ...rest } = record as JsonObject;
  return { ...status, record: rest };
}

async function settingsAreBack(namespace: string): Promise<void> {
  await eventually(async () => void (await world.get('ConfigMap', 'settings', namespace)));
}

beforeAll(async () => {
  world = await startWorld(['--content-store-size', storeMebibytes]);
  const secret = await world.get('Secret', 'rukpak-ca', 'rukpak-system');
  ca = Buffer.from((secret['data'] as Record<string, string>)['ca.crt'] ?? '', 'base64').toString();
  await createAccount('reader', ['bundle-reader', 'bundle-uploader']);
  await createAccount('prometheus', ['longshore-metrics-reader']);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

describe('a small store', { shuffle: false }, () => {
  test('Q3 the least recently used content is evicted, and its Bundle stays unpacked', async () => {
    for (const name of ['first', 'second', 'third']) await unpack(name);
    await age('first');
    await unpack('fourth');
    expect(existsSync(fileOf('first'))).toBe(false);
    expect(existsSync(fileOf('second'))).toBe(true);
    const status = statusOf(await world.get('Bundle', 'first'));
    expect(status).toMatchObject({ phase: 'Unpacked', contentURL: `${world.platform.contentUrl}/bundles/first.tgz` });
  });

  test('Q2, Q3 evicted content is fetched again by its pin on request', async () => {
    world.registry.putImage('first:v1', [{ files: valid }]);
    await age('second');
    const answer = await ask('/bundles/first.tgz');
    expect(answer.status).toBe(200);
    const text = gunzipSync(answer.body).toString('latin1');
    expect(text).toContain('noise.bin');
    expect(existsSync(fileOf('second'))).toBe(false);
    expect(statusOf(await world.get('Bundle', 'first'))).toMatchObject({ phase: 'Unpacked' });
  });

  test('Q3 evicted content is fetched again when a deployment needs to install it', async () => {
    for (const name of ['first', 'third', 'fourth']) await age(name);
    await world.kube.create(bundleDeployment('wanting', world.imageSource('wanting:v1', large('wanting'))), {
      fieldManager: 'test',
    });
    await world.deploymentWith('wanting', { type: 'Installed', status: 'True' });
  });

  test('a full store reports it, refuses uploads with 507, and continues once there is space', async () => {
    const body = gzipSync(tarFile(fileEntries(large('sent'))));
    for (const name of ['sent-1', 'sent-2']) {
      await world.kube.create(bundle(name, { type: 'upload', upload: {} }), { fieldManager: 'test' });
    }
    for (const name of ['first', 'third', 'fourth']) await age(name);
    expect((await ask('/uploads/sent-1.tgz', { method: 'PUT', body })).status).toBe(201);
    await world.bundleWithPhase('sent-1', 'Unpacked');
    const more = gzipSync(tarFile(fileEntries(large('more'))));
    const full = await ask('/uploads/sent-2.tgz', { method: 'PUT', body: more });
    expect(full.status).toBe(507);
    expect(full.body.toString()).toMatch(/^the content store is full: /);
    await world.kube.create(bundle('late', world.imageSource('late:v1', large('late'))), { fieldManager: 'test' });
    expect(problemOf(await world.bundleWithPhase('late', 'Failing'))).toMatch(
      /^persist bundle content: the content store is full: .*; delete Bundles or increase --content-store-size$/,
    );
    await world.kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'sent-1' });
    await world.bundleWithPhase('late', 'Unpacked');
  });

  test('Q30 users with permission for /metrics see the metrics of the store and its server, others do not', async () => {
    const stored = (await readdir(join(world.platform.storeDir, 'blobs', 'sha256'))).length;
    const before = await samples();
    expect(before).toMatchObject({
      longshore_content_store_contents: stored,
      longshore_content_store_budget_bytes: 2 * 1024 * 1024,
      longshore_content_store_uploads: 0,
      longshore_content_store_upload_bytes: 0,
      'longshore_content_requests_total{path="uploads",method="PUT",code="507"}': 1,
    });
    for (const name of ['bytes', 'evictions_total', 'evicted_bytes_total', 'sweeps_total']) {
      expect(before[`longshore_content_store_${name}`], name).toBeGreaterThan(0);
    }
    const { body } = await ask('/bundles/late.tgz');
    const after = await samples();
    const grown = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0);
    expect(grown('longshore_content_requests_total{path="bundles",method="GET",code="200"}')).toBe(1);
    const sentBytes = grown('longshore_content_response_bytes_total{path="bundles"}');
    expect(sentBytes).toBeGreaterThan(body.length);
    expect(sentBytes).toBeLessThan(body.length + 1024);
    expect((await ask('/metrics')).status).toBe(403);
    expect((await ask('/metrics', { as: 'anonymous' })).status).toBe(401);
    expect((await ask('/bundles/late.tgz', { as: 'prometheus' })).status).toBe(403);
    expect((await ask('/metrics/')).status).toBe(403);
  });

  test('Q2, Q3 while evicted content cannot be fetched, the deployment stays installed and reports what it waits for', async () => {
    let isDown = false;
    const archive = gzipSync(tarFile(fileEntries(large('wearing'))));
    await using web = await startWebServer((_, response) => {
      if (isDown) response.writeHead(503, { 'retry-after': '0' }).end();
      else response.end(archive);
    });
    const { bundleName } = await installFromWeb('wearing', `${web.url}/wearing.tgz`);
    const before = await deployed('wearing');
    await evict(bundleName);
    isDown = true;
    await removeSettings('wearing');
    await eventually(async () => {
      expect(conditionOf(await deployed('wearing'), 'HasValidBundle')?.message).toMatch(
        /is fetched again: source bundle content: GET .*wearing\.tgz: .*503.* \(next try at /,
      );
    });
    const waiting = await deployed('wearing');
    expect(conditionOf(waiting, 'HasValidBundle')).toMatchObject({
      status: 'True',
      reason: 'UnpackSuccessful',
      message: expect.stringContaining(
        `Successfully unpacked the ${bundleName} Bundle; its content is no longer stored and is fetched again`,
      ) as unknown,
    });
    for (const type of ['Installed', 'Healthy']) expect(conditionOf(waiting, type)).toEqual(conditionOf(before, type));
    expect(statusOf(await world.get('Bundle', bundleName))).toMatchObject({ phase: 'Unpacked' });
    isDown = false;
    await settingsAreBack('wearing');
    await eventually(async () => {
      expect(withoutState(await deployed('wearing'))).toEqual(withoutState(before));
    });
  });

  test('Q3 content that is corrupt on disk is fetched again, and drift of its objects is corrected', async () => {
    let asked = 0;
    const archive = gzipSync(tarFile(fileEntries(application('damaged', 1))));
    await using web = await startWebServer((_, response) => {
      asked += 1;
      response.end(archive);
    });
    const { file } = await installFromWeb('damaged', `${web.url}/damaged.tgz`);
    const before = await deployed('damaged');
    await writeFile(file, (await readFile(file)).subarray(0, -20));
    await removeSettings('damaged');
    await settingsAreBack('damaged');
    expect(asked).toBe(2);
    await eventually(async () => {
      expect(withoutState(await deployed('damaged'))).toEqual(withoutState(before));
    });
  });

  test('Q3 content that differs from its pin is not installed, and the deployment reports it', async () => {
    let files = large('lost');
    await using web = await startWebServer((_, response) => response.end(gzipSync(tarFile(fileEntries(files)))));
    const { bundleName } = await installFromWeb('lost', `${web.url}/lost.tgz`);
    await evict(bundleName);
    files = large('lost');
    await removeSettings('lost');
    const waiting = await eventually(async () => {
      const deployment = await world.get('BundleDeployment', 'lost');
      expect(conditionOf(deployment, 'HasValidBundle')?.message).toMatch(
        /its content is no longer stored and is fetched again.*GET .*lost\.tgz: expected digest /s,
      );
      return deployment;
    });
    expect(conditionOf(waiting, 'Installed')?.status).toBe('True');
  });
});
