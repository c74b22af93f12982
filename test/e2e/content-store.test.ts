import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileEntries, tarFile } from '../support/index.ts';
import { application, valid } from './contents.ts';
import { bundle, bundleDeployment, problemOf, startWorld, statusOf, type World } from './world.ts';

const rbac = 'rbac.authorization.k8s.io';
/** As much as three of the contents here. */
const storeMebibytes = '2';

let world: World;
let token = '';
let ca = '';

/** A bundle that takes more than half a mebibyte, however it is compressed. */
function large(name: string): Record<string, string> {
  return { ...application(name, 1), 'noise.bin': randomBytes(550_000).toString('hex') };
}

async function ask(path: string, method = 'GET', body?: Buffer): Promise<{ status: number; body: Buffer }> {
  const headers = { authorization: `Bearer ${token}` };
  const sent = request(new URL(path, world.platform.contentUrl), { method, ca, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: Buffer.concat(await response.toArray()) };
}

const fileOf = (name: string): string => join(world.platform.storeDir, `${name}.tgz`);

/** As if it had not been used for an hour. */
async function age(name: string): Promise<void> {
  const then = new Date(Date.now() - 3_600_000);
  await utimes(join(world.platform.storeDir, 'records', `${name}.json`), then, then);
}

async function unpack(name: string): Promise<void> {
  await world.kube.create(bundle(name, world.imageSource(`${name}:v1`, large(name))), { fieldManager: 'test' });
  await world.bundleWithPhase(name, 'Unpacked');
}

beforeAll(async () => {
  world = await startWorld(['--content-store-size', storeMebibytes]);
  const secret = await world.get('Secret', 'rukpak-ca', 'rukpak-system');
  ca = Buffer.from((secret['data'] as Record<string, string>)['ca.crt'] ?? '', 'base64').toString();
  const metadata = { name: 'reader', namespace: 'default' };
  await world.kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, { fieldManager: 'test' });
  for (const name of ['bundle-reader', 'bundle-uploader']) {
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
    const subjects = [{ kind: 'ServiceAccount', ...metadata }];
    const binding = { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, subjects, roleRef };
    await world.kube.create(binding as never, { fieldManager: 'test' });
  }
  token = await world.tokenOf('reader');
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

test('Q3 what was not used for longest gives way, and its Bundle stays unpacked', async () => {
  for (const name of ['first', 'second', 'third']) await unpack(name);
  await age('first');
  await unpack('fourth');
  expect(existsSync(fileOf('first'))).toBe(false);
  expect(existsSync(fileOf('second'))).toBe(true);
  const status = statusOf(await world.get('Bundle', 'first'));
  expect(status).toMatchObject({ phase: 'Unpacked', contentURL: `${world.platform.contentUrl}/bundles/first.tgz` });
});

test('Q2, Q3 what gave way is fetched again by its pin when somebody asks for it', async () => {
  world.registry.putImage('first:v1', [{ files: valid }]);
  await age('second');
  const answer = await ask('/bundles/first.tgz');
  expect(answer.status).toBe(200);
  const text = gunzipSync(answer.body).toString('latin1');
  expect(text).toContain('noise.bin');
  expect(existsSync(fileOf('second'))).toBe(false);
  expect(statusOf(await world.get('Bundle', 'first'))).toMatchObject({ phase: 'Unpacked' });
});

test('Q3 what gave way is fetched again when a deployment wants to install it', async () => {
  for (const name of ['first', 'third', 'fourth']) await age(name);
  await world.kube.create(bundleDeployment('wanting', world.imageSource('wanting:v1', large('wanting'))), {
    fieldManager: 'test',
  });
  await world.deploymentWith('wanting', { type: 'Installed', status: 'True' });
});

test('a store without room says so, refuses uploads with 507, and goes on when there is room', async () => {
  const body = gzipSync(tarFile(fileEntries(large('sent'))));
  for (const name of ['sent-1', 'sent-2']) {
    await world.kube.create(bundle(name, { type: 'upload', upload: {} }), { fieldManager: 'test' });
  }
  for (const name of ['first', 'third', 'fourth']) await age(name);
  expect((await ask('/uploads/sent-1.tgz', 'PUT', body)).status).toBe(201);
  await world.bundleWithPhase('sent-1', 'Unpacked');
  const full = await ask('/uploads/sent-2.tgz', 'PUT', gzipSync(tarFile(fileEntries(large('more')))));
  expect(full.status).toBe(507);
  expect(full.body.toString()).toMatch(/^the content store is full: /);
  await world.kube.create(bundle('late', world.imageSource('late:v1', large('late'))), { fieldManager: 'test' });
  expect(problemOf(await world.bundleWithPhase('late', 'Failing'))).toMatch(
    /^persist bundle content: the content store is full: .*; delete Bundles or give it more \(--content-store-size\)$/,
  );
  await world.kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'sent-1' });
  await world.bundleWithPhase('late', 'Unpacked');
});
