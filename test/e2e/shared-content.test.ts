import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Platform, startPlatform } from '../../cli/up/platform.ts';
import { createLogger } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import {
  allOf,
  asksBasicAuthentication,
  eventually,
  fileEntries,
  type Intercept,
  type Registry,
  startRegistry,
  tarFile,
} from '../support/index.ts';
import { configMap } from './contents.ts';
import { bundle, bundleDeployment, conditionOf, configOf, statusOf } from './world.ts';

const apiVersion = 'core.rukpak.io/v1alpha1';
const placeAnnotation = 'core.rukpak.io/stored-content';
const account = { username: 'keeper', password: 'word-of-the-keeper' };
const storePath = '/v2/team/contents/';

/** Of the requests to the repository of contents. */
let fault: Intercept | undefined;
let folder: string;
let registry: Registry;
let sources: Registry;
let platform: Platform;

async function start(): Promise<void> {
  const login = ['--content-store-login', join(folder, 'login.json')];
  const store = ['--content-store', 'oci', '--content-store-repository', `${registry.host}/team/contents`, ...login];
  const config = configOf(['--data-dir', join(folder, 'data'), ...store]);
  platform = await startPlatform(config, { log: await createLogger({ level: 'silent' }) });
}

/** Another node: the cluster is the same, and nothing is on its disk. */
async function loseNode(): Promise<void> {
  await platform[Symbol.asyncDispose]();
  await rm(join(folder, 'data', 'bundles'), { recursive: true, force: true });
  await start();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-shared-'));
  sources = await startRegistry();
  const faults: Intercept = (asked, response) =>
    asked.url?.startsWith(storePath) === true && fault?.(asked, response) === true;
  registry = await startRegistry({
    intercept: allOf(asksBasicAuthentication(account.username, account.password), faults),
  });
  const auth = Buffer.from(`${account.username}:${account.password}`).toString('base64');
  await writeFile(join(folder, 'login.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }));
  await start();
});
afterEach(() => {
  fault = undefined;
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await sources[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function archiveOf(name: string): Buffer {
  const files = { 'manifests/a.yaml': configMap(name, 'default', { from: 'an upload' }) };
  return gzipSync(tarFile(fileEntries(files)));
}

async function put(name: string): Promise<{ readonly status: number; readonly text: string }> {
  const token = platform.apiServer?.adminToken ?? '';
  const body = archiveOf(name);
  return await new Promise((resolve, reject) => {
    const sent = request(`${platform.contentUrl}/uploads/${name}.tgz`, {
      method: 'PUT',
      rejectUnauthorized: false,
      agent: false,
      headers: { authorization: `Bearer ${token}`, 'content-length': body.length },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.toArray().then((pieces) => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces as Buffer[]).toString() });
      }, reject);
    });
    sent.end(body);
  });
}

async function create(object: KubeObject, annotations?: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { ...object.metadata, ...(annotations === undefined ? {} : { annotations }) };
  await platform.kube.create({ ...object, metadata }, { fieldManager: 'test' });
}

async function find(kind: string, name: string): Promise<KubeObject> {
  return await platform.kube.get({ apiVersion, kind, name });
}

async function unpacked(name: string): Promise<KubeObject> {
  return await eventually(async () => {
    const found = await find('Bundle', name);
    expect(statusOf(found)).toMatchObject({ phase: 'Unpacked' });
    return found;
  });
}

/** The content as the platform serves it, from its own disk. */
async function isServed(name: string): Promise<void> {
  const token = platform.apiServer?.adminToken ?? '';
  await eventually(async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const options = { rejectUnauthorized: false, agent: false, headers };
      request(`${platform.contentUrl}/bundles/${name}.tgz`, options, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .once('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });
}

async function remove(name: string): Promise<void> {
  await platform.kube.delete({ apiVersion, kind: 'Bundle', name });
  await eventually(async () => {
    const { items } = await platform.kube.list({ apiVersion, kind: 'Bundle' });
    expect(items.map(({ metadata }) => metadata.name)).not.toContain(name);
  });
}

/** The tag of what is stored for a Bundle. */
async function tagOf(uid: string): Promise<string> {
  const { tags } = JSON.parse(await keptUids()) as { readonly tags: readonly string[] };
  return tags.find((tag) => tag.endsWith(uid)) ?? '?';
}

/** Those that still have something in the store, as its own API reports. */
async function keptUids(): Promise<string> {
  const auth = Buffer.from(`${account.username}:${account.password}`).toString('base64');
  const headers = { authorization: `Basic ${auth}` };
  const response = await fetch(`http://${registry.host}${storePath}tags/list`, { headers });
  return await response.text();
}

describe('a platform that shares its content', { shuffle: false }, () => {
  test('Q3, N12 a lost node loses no content: an upload and an image whose source was deleted are restored, and drift is corrected', async () => {
    const files = { 'manifests/a.yaml': configMap('of-an-image', 'default', { from: 'an image' }) };
    sources.putImage('app:v1', [{ files }]);
    await create(bundleDeployment('kept', { type: 'image', image: { ref: `${sources.host}/app:v1` } }));
    await create(bundle('uploaded', { type: 'upload', upload: {} }));
    await eventually(async () => expect(statusOf(await find('Bundle', 'uploaded'))['phase']).toBe('Pending'));
    expect(await put('uploaded')).toEqual({ status: 201, text: 'stored\n' });
    const before = await unpacked('uploaded');
    expect(before.metadata.annotations?.[placeAnnotation]).toMatch(/\/team\/contents@sha256:[0-9a-f]{64}$/);
    await eventually(async () =>
      expect(conditionOf(await find('BundleDeployment', 'kept'), 'Installed')?.status).toBe('True'),
    );
    const active = statusOf(await find('BundleDeployment', 'kept'))['activeBundle'] as string;

    await sources[Symbol.asyncDispose]();
    await loseNode();

    await isServed('uploaded');
    expect((await unpacked('uploaded')).metadata.uid).toBe(before.metadata.uid);
    await isServed(active);
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'of-an-image' };
    await platform.kube.delete(settings);
    await eventually(async () => expect((await platform.kube.get(settings))['data']).toEqual({ from: 'an image' }));
  });

  test('what is stored for a Bundle stays when the annotation of another one refers to it', async () => {
    const { uid = '?', annotations } = (await find('Bundle', 'uploaded')).metadata;
    const place = annotations?.[placeAnnotation] ?? '?';
    const metadata = { name: 'hers', namespace: 'rukpak-system' };
    const data = { 'object.yaml': configMap('hers', 'default', {}) };
    await platform.kube.create(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, data },
      { fieldManager: 'test' },
    );
    const source = { type: 'configMaps', configMaps: [{ configMap: { name: 'hers' }, path: 'manifests' }] };
    // A tag is no place: what it names would be found as well.
    for (const [name, other] of [
      ['hers', place],
      ['by-tag', place.replace(/sha256:.*$/, await tagOf(uid))],
    ] as const) {
      await create(bundle(name, source), { [placeAnnotation]: other });
      const own = await eventually(async () => {
        const stored = (await unpacked(name)).metadata.annotations?.[placeAnnotation];
        expect(stored).not.toBe(other);
        return stored;
      });
      expect(own).toMatch(/@sha256:/);
      await remove(name);
    }
    expect(await keptUids()).toContain(uid);
  });

  test('an upload that is not unpacked yet survives the loss of the node that received it', async () => {
    await create(bundle('early', { type: 'upload', upload: {} }), { 'core.rukpak.io/paused': 'true' });
    await eventually(async () => expect(statusOf(await find('Bundle', 'early'))['phase']).toBe('Pending'));
    expect((await put('early')).status).toBe(201);
    await loseNode();
    const patch = { metadata: { annotations: { 'core.rukpak.io/paused': null } } };
    await platform.kube.patch({ apiVersion, kind: 'Bundle', name: 'early' }, patch, { fieldManager: 'test' });
    await unpacked('early');
    await isServed('early');
  });

  test('while the registry is down nothing counts as stored, and everything continues when it is back', async () => {
    const content = { 'object.yaml': configMap('of-a-config-map', 'default', { a: 'b' }) };
    const metadata = { name: 'content', namespace: 'rukpak-system' };
    const source = { apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, data: content };
    await platform.kube.create(source, { fieldManager: 'test' });
    await create(bundle('late', { type: 'upload', upload: {} }));
    await eventually(async () => expect(statusOf(await find('Bundle', 'late'))['phase']).toBe('Pending'));
    fault = (_asked, response) => {
      response.writeHead(503).end();
      return true;
    };
    const refused = await put('late');
    expect(refused).toMatchObject({ status: 503 });
    expect(refused.text).toContain(`the content store ${registry.host}/team/contents: `);
    await create(
      bundle('waiting', { type: 'configMaps', configMaps: [{ configMap: { name: 'content' }, path: 'manifests' }] }),
    );
    await eventually(async () => {
      const condition = conditionOf(await find('Bundle', 'waiting'), 'Unpacked');
      expect(condition).toMatchObject({ status: 'False', reason: 'UnpackFailed' });
      expect(condition?.message).toContain(
        `persist bundle content: the content store ${registry.host}/team/contents: `,
      );
      expect(condition?.message).toContain('503');
      expect(condition?.message).not.toContain(account.password);
    });
    // What was there before is untouched.
    expect(statusOf(await find('Bundle', 'uploaded'))['phase']).toBe('Unpacked');
    fault = undefined;
    await unpacked('waiting');
    expect((await put('late')).status).toBe(201);
    await unpacked('late');
  });

  test('content that differs from the stored one is not used: the Bundle stays unpacked, reports the reason, and recovers when the registry has the right bytes', async () => {
    const { metadata } = await find('Bundle', 'uploaded');
    fault = (asked, response) => {
      if (asked.method !== 'GET' || asked.url?.includes('/blobs/') !== true) return false;
      response.writeHead(200).end(Buffer.alloc(300, 'wrong'));
      return true;
    };
    await loseNode();
    await eventually(async () => {
      const { items } = await platform.kube.list({ apiVersion: 'v1', kind: 'Event', namespace: 'default' });
      const reported = items
        .filter((event) => event['reason'] === 'UnpackFailed')
        .map((event) => event['message'] as string);
      const [, digest] = metadata.annotations?.[placeAnnotation]?.split('@') ?? [];
      expect(digest).toBeDefined();
      expect(reported.some((message) => message.includes('the content store') && message.includes('got sha256'))).toBe(
        true,
      );
    });
    expect(statusOf(await find('Bundle', 'uploaded'))['phase']).toBe('Unpacked');
    fault = undefined;
    await isServed('uploaded');
  });

  test('content is deleted with its Bundle; what the registry retains is deleted when it can be', async () => {
    const { uid: late = '?' } = (await find('Bundle', 'late')).metadata;
    const { uid: early = '?' } = (await find('Bundle', 'early')).metadata;
    await remove('late');
    await eventually(async () => expect(await keptUids()).not.toContain(late));
    expect(await keptUids()).toContain(early);
    fault = (asked, response) => {
      if (asked.method === 'DELETE') response.writeHead(405).end();
      return asked.method === 'DELETE';
    };
    await remove('early');
    expect(await keptUids()).toContain(early);
    fault = undefined;
    await loseNode();
    await eventually(async () => expect(await keptUids()).not.toContain(early));
    await isServed('uploaded');
  });
});
