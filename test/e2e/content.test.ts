import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Parser } from 'tar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, fileEntries, tarFile } from '../support/index.ts';
import { application, repository, valid, withSubdirectory } from './contents.ts';
import { bundle, conditionOf, startWorld, statusOf, type World } from './world.ts';

const archive = gzipSync(tarFile(fileEntries(valid)));
const other = gzipSync(tarFile(fileEntries(application('other', 1))));
const noise = randomBytes(64 * 1024);
const rbac = 'rbac.authorization.k8s.io';

let world: World;
let ca = '';
const tokens: Record<string, string> = {};

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Asked {
  readonly method?: string;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Whom to trust instead of our authority. */
  readonly trust?: Pick<RequestOptions, 'ca' | 'rejectUnauthorized'>;
}

async function ask(path: string, asked: Asked = {}): Promise<Answer> {
  const { method = 'GET', as = 'reader', headers = {}, body, trust = { ca } } = asked;
  const token = tokens[as] ?? as;
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` };
  const sent = request(new URL(path, world.platform.contentUrl), {
    method,
    ...trust,
    headers: { ...authorization, ...headers },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) };
}

const put = (name: string, body: Buffer, as = 'uploader'): Promise<Answer> =>
  ask(`/uploads/${name}.tgz`, { method: 'PUT', as, body });

/** A PUT whose body is still to come. */
function beginUpload(name: string, length: number): ClientRequest {
  const headers = { authorization: `Bearer ${tokens['uploader'] ?? ''}`, 'content-length': length };
  const sent = request(new URL(`/uploads/${name}.tgz`, world.platform.contentUrl), { method: 'PUT', ca, headers });
  return sent.on('error', () => undefined);
}

async function create(object: unknown): Promise<Record<string, unknown>> {
  return (await world.kube.create(object as never, { fieldManager: 'test' })) as Record<string, unknown>;
}

/** A service account with a ClusterRole, and its token. */
async function createAccount(name: string, role?: string): Promise<void> {
  const metadata = { name, namespace: 'default' };
  await create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const subjects = [{ kind: 'ServiceAccount', ...metadata }];
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: role ?? 'view' };
  await create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, subjects, roleRef });
  tokens[name] = await world.tokenOf(name);
}

beforeAll(async () => {
  world = await startWorld(['--max-layer-size', '1']);
  const secret = await world.get('Secret', 'rukpak-ca', 'rukpak-system');
  const data = secret['data'] as Record<string, string>;
  ca = Buffer.from(data['ca.crt'] ?? '', 'base64').toString();
  const rules = [{ nonResourceURLs: ['/bundles/*'], verbs: ['put'] }];
  await create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'old-uploader' }, rules });
  await createAccount('reader', 'bundle-reader');
  await createAccount('uploader', 'bundle-uploader');
  await createAccount('veteran', 'old-uploader');
  await createAccount('stranger');
  await create(bundle('shown', world.imageSource('shown:v1', valid)));
  await world.bundleWithPhase('shown', 'Unpacked');
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

describe('the content of an unpacked Bundle', () => {
  test('is served at status.contentURL, whole, in ranges, and with 304 if unchanged', async () => {
    const url = statusOf(await world.get('Bundle', 'shown'))['contentURL'] as string;
    expect(url).toBe(`${world.platform.contentUrl}/bundles/shown.tgz`);
    const { pathname } = new URL(url);
    const whole = await ask(pathname);
    expect(whole).toMatchObject({ status: 200, headers: { 'content-type': 'application/gzip' } });
    expect(gunzipSync(whole.body).toString()).toContain('manifests/crds.yaml');
    const part = await ask(pathname, { headers: { range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(part.body).toEqual(whole.body.subarray(10, 20));
    const etag = String(whole.headers.etag);
    expect((await ask(pathname, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await ask(pathname, { method: 'HEAD' })).body.length).toBe(0);
  });

  test('B22 a service account that may read it gets every file', async () => {
    await world.git.createRepository('b22.git', [{ files: repository }]);
    const git = { repository: `${world.git.url}/b22.git`, ref: { branch: 'main' } };
    await create(bundle('b22', { type: 'git', git }));
    const url = statusOf(await world.bundleWithPhase('b22', 'Unpacked'))['contentURL'] as string;
    const paths: string[] = [];
    const parser = new Parser({
      onReadEntry: (entry) => {
        paths.push(entry.path);
        entry.resume();
      },
    });
    parser.end(gunzipSync((await ask(new URL(url).pathname)).body));
    expect(paths).toEqual(expect.arrayContaining(Object.keys(repository)));
  });

  test('U7 is not read from a server whose certificate is not trusted', async () => {
    const path = '/bundles/shown.tgz';
    await expect(ask(path, { trust: { ca: [] } })).rejects.toThrow(/certificate/);
  });

  const unverified = { rejectUnauthorized: false };
  test.each([
    { name: 'U8 without verification, the right token, a known file', trust: unverified, file: 'shown', status: 200 },
    { name: 'U9 without verification, the right token, an unknown file', trust: unverified, file: 'x', status: 404 },
    {
      name: 'U10 without verification, a wrong token',
      trust: unverified,
      file: 'shown',
      as: 'not-a-token',
      status: 401,
    },
    { name: 'U11 with the authority, the right token, a known file', file: 'shown', status: 200 },
    { name: 'U12 with the authority, the right token, an unknown file', file: 'x', status: 404 },
    { name: 'U13 with the authority, a wrong token', file: 'shown', as: 'not-a-token', status: 401 },
  ])('$name: $status', async ({ trust, file, as = 'reader', status }) => {
    const answer = await ask(`/bundles/${file}.tgz`, { as, ...(trust === undefined ? {} : { trust }) });
    expect(answer.status).toBe(status);
    const stored = await readFile(join(world.platform.storeDir, 'shown.tgz'));
    expect(answer.body.equals(stored)).toBe(status === 200);
  });

  test.each([
    { who: 'anonymous', as: '', status: 401 },
    { who: 'a token that is worth nothing', as: 'not-a-token', status: 401 },
    { who: 'an account without permission', as: 'stranger', status: 403 },
  ])('is not shown to $who', async ({ as, status }) => {
    expect((await ask('/bundles/shown.tgz', { as })).status).toBe(status);
  });

  test.each([
    { path: '/bundles/absent.tgz', method: 'GET', status: 404 },
    { path: '/bundles/', method: 'GET', status: 404 },
    { path: '/bundles/..%2Frecords%2Fshown.json', method: 'GET', status: 404 },
  ])('$method $path returns $status', async ({ path, method, status }) => {
    expect((await ask(path, { method })).status).toBe(status);
  });
});

describe('an upload', () => {
  test('B19, N3, N4 is waited for, accepted, unpacked, and retained until its Bundle is deleted', async () => {
    await create(bundle('sent', { type: 'upload', upload: {} }));
    const waiting = await world.bundleWithPhase('sent', 'Pending');
    expect(conditionOf(waiting, 'Unpacked')).toMatchObject({
      status: 'False',
      reason: 'UnpackPending',
      message: 'waiting for bundle to be uploaded',
    });
    expect((await put('sent', archive)).status).toBe(201);
    const unpacked = await world.bundleWithPhase('sent', 'Unpacked');
    expect(conditionOf(unpacked, 'Unpacked')?.message).toBe('Successfully unpacked the upload Bundle');
    expect(statusOf(unpacked)['resolvedSource']).toEqual({ type: 'upload', upload: {} });
    expect((await ask('/uploads/sent.tgz', { as: 'uploader' })).body).toEqual(archive);

    expect((await put('sent', archive)).status).toBe(204);
    const late = await put('sent', other);
    expect(late.status).toBe(409);
    expect(late.body.toString()).toBe('bundle has already been unpacked, cannot change content of existing bundle\n');

    await world.kube.delete({ apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', name: 'sent' });
    await eventually(async () => {
      expect(await readdir(join(world.platform.storeDir, 'uploads'))).toEqual([]);
    });
  });

  test('N3 is refused for a Bundle of another source, and for one that does not exist', async () => {
    const wrong = await put('shown', archive);
    expect([wrong.status, wrong.body.toString()]).toEqual([409, 'bundle source type is "image"; expected "upload"\n']);
    const absent = await put('absent', archive);
    expect([absent.status, absent.body.toString()]).toEqual([404, 'bundles.core.rukpak.io "absent" not found\n']);
  });

  test('B20 with a folder in manifests is refused, and the message reports it', async () => {
    await create(bundle('b20', { type: 'upload', upload: {} }));
    expect((await put('b20', gzipSync(tarFile(fileEntries(withSubdirectory))))).status).toBe(201);
    const failing = await world.bundleWithPhase('b20', 'Failing');
    expect(conditionOf(failing, 'Unpacked')).toMatchObject({ status: 'False', reason: 'UnpackFailed' });
    expect(conditionOf(failing, 'Unpacked')?.message).toContain(
      'subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "manifests/emptydir"',
    );
  });

  test('with invalid metadata is refused at once, and the response reports what is wrong', async () => {
    await create(bundle('questionable', { type: 'upload', upload: {} }));
    const annotations = 'annotations: {operators.operatorframework.io.bundle.mediatype.v1: registry+v1}';
    const files = { 'manifests/a.yaml': 'a: b', 'metadata/annotations.yaml': annotations };
    const refused = await put('questionable', gzipSync(tarFile(fileEntries(files))));
    expect([refused.status, refused.body.toString()]).toEqual([
      422,
      'Expecting annotation "operators.operatorframework.io.bundle.mediatype.v1" to have value "plain+v0" instead of "registry+v1"\n',
    ]);
  });

  test('Q16 that is not an archive is refused at once, and a good one is accepted after it', async () => {
    await create(bundle('fixed', { type: 'upload', upload: {} }));
    const bad = await put('fixed', Buffer.from('<html>not a bundle</html>'));
    expect(bad.status).toBe(400);
    expect(bad.body.toString()).toMatch(/^the upload: /);
    const leaving = gzipSync(tarFile(fileEntries({ '../outside': 'x' })));
    expect((await put('fixed', leaving)).status).toBe(400);
    expect((await put('fixed', archive, 'veteran')).status).toBe(201);
    await world.bundleWithPhase('fixed', 'Unpacked');
  });

  test('that breaks off or stalls leaves nothing behind, and blocks no one', async () => {
    await create(bundle('torn', { type: 'upload', upload: {} }));
    await world.bundleWithPhase('torn', 'Pending');
    const stalled = beginUpload('torn', archive.length);
    stalled.write(archive.subarray(0, 200));
    const torn = beginUpload('torn', archive.length);
    torn.write(archive.subarray(0, 200), () => torn.destroy());
    await new Promise((resolve) => torn.once('close', resolve));
    const half = await put('torn', archive.subarray(0, archive.length / 2));
    expect([half.status, half.body.toString()]).toEqual([400, expect.stringMatching(/^the upload: /)]);
    expect((await put('torn', archive)).status).toBe(201);
    await world.bundleWithPhase('torn', 'Unpacked');
    stalled.destroy();
    await eventually(async () => {
      expect(await readdir(join(world.platform.storeDir, 'temporary'))).toEqual([]);
    });
    expect((await ask('/uploads/torn.tgz', { as: 'uploader' })).body).toEqual(archive);
  });

  test('Q18 that exceeds the limit of a layer is refused while it is received', async () => {
    await create(bundle('huge', { type: 'upload', upload: {} }));
    const sent = beginUpload('huge', 64 * 1024 * 1024);
    const answer = once(sent, 'response') as Promise<[IncomingMessage]>;
    const more = (): void => void sent.write(noise, (failed) => (failed ? undefined : more()));
    more();
    const [response] = await answer;
    expect(response.statusCode).toBe(413);
    sent.destroy();
    expect(conditionOf(await world.bundleWithPhase('huge', 'Pending'), 'Unpacked')?.message).toBe(
      'waiting for bundle to be uploaded',
    );
  });

  test.each([
    { who: 'a reader', as: 'reader', status: 403 },
    { who: 'anonymous', as: '', status: 401 },
  ])('is not accepted from $who', async ({ as, status }) => {
    await world.kube.apply(bundle('guarded', { type: 'upload', upload: {} }), { fieldManager: 'test' });
    expect((await put('guarded', archive, as)).status).toBe(status);
    expect(statusOf(await world.bundleWithPhase('guarded', 'Pending'))['contentURL']).toBeUndefined();
  });
});
