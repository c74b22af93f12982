import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256Digest } from '../../src/base/index.ts';
import { type ExampleServers, exampleLogin, startExampleServers } from './example-servers.ts';
import { startRegistry } from './registry.ts';

const run = promisify(execFile);
const hasGit = spawnSync('git', ['--version']).status === 0;
const why = hasGit ? '' : ' (skipped: git is not installed)';

let servers: ExampleServers;
beforeAll(async () => {
  servers = await startExampleServers();
});
afterAll(() => servers[Symbol.asyncDispose]());

const { username, password } = exampleLogin;
const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
const at = (path: string): string => `http://${servers.registry.host}/v2/${path}`;

async function push(host: string, repository: string, bytes: Buffer): Promise<number> {
  const begun = await fetch(`http://${host}/v2/${repository}/blobs/uploads/`, { method: 'POST' });
  if (begun.status !== 202) return begun.status;
  const place = new URL(begun.headers.get('location') ?? '', `http://${host}`);
  place.searchParams.set('digest', sha256Digest(bytes));
  return (await fetch(place, { method: 'PUT', body: bytes })).status;
}

test('the registry has the bundles and the catalog of the examples; what is below private/ needs the login', async () => {
  for (const image of ['combo/manifests/v0.0.4', 'tide-gauge-bundle/manifests/v0.2.0', 'catalog/manifests/v2']) {
    expect((await fetch(at(image))).status).toBe(200);
  }
  expect((await fetch(at('private/combo/manifests/v0.0.2'))).status).toBe(401);
  expect((await fetch(at('private/combo/manifests/v0.0.2'), { headers: { authorization } })).status).toBe(200);
});

test('bundles of others can be pushed; the examples cannot be overwritten', async () => {
  const { host } = servers.registry;
  expect(await push(host, 'mine', Buffer.from('content'))).toBe(201);
  expect(await push(host, 'combo', Buffer.from('content'))).toBe(403);
  expect((await fetch(at('combo/manifests/v0.0.2'), { method: 'PUT', body: '{}' })).status).toBe(403);
  expect((await fetch(at('private/combo/manifests/v0.0.2'), { method: 'DELETE' })).status).toBe(401);
});

test('what is pushed is limited in all, and a push that is refused does not count', async () => {
  const kibibyte = 1024;
  await using registry = await startRegistry({ maxPushedBytes: 1000 * kibibyte });
  expect(await push(registry.host, 'a', Buffer.alloc(600 * kibibyte))).toBe(201);
  expect(await push(registry.host, 'a', Buffer.alloc(600 * kibibyte, 1))).toBe(507);
  expect(await push(registry.host, 'a', Buffer.alloc(300 * kibibyte))).toBe(201);
});

test('manifests count with their names, and have a small share of what may be pushed', async () => {
  await using registry = await startRegistry({ maxPushedBytes: 1024 * 1024 });
  const pushTag = async (tag: string, body: string): Promise<number> =>
    (await fetch(`http://${registry.host}/v2/a/manifests/${tag}`, { method: 'PUT', body })).status;
  expect(await pushTag('large', `"${'x'.repeat(100_000)}"`)).toBe(507);
  const statuses: number[] = [];
  for (let index = 0; index < 10; index += 1) statuses.push(await pushTag(`${'t'.repeat(10_000)}${index}`, '{}'));
  expect(statuses.filter((status) => status === 201).length).toBe(5);
  expect(statuses.at(-1)).toBe(507);
});

test('of requests that a client sends without waiting a few are answered at a time, and others meanwhile', async () => {
  await using registry = await startRegistry();
  const { hostname, port } = new URL(`http://${registry.host}`);
  const [flooding, other] = [connect(Number(port), hostname), connect(Number(port), hostname)];
  await Promise.all([once(flooding, 'connect'), once(other, 'connect')]);
  const count = 1000;
  flooding.resume().write('HEAD /v2/ HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count));
  other.write('GET /v2/ HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(other, 'data');
  expect(registry.requests.indexOf('GET /v2/')).toBeLessThan(count / 10);
  flooding.destroy();
  other.destroy();
});

/** The status of a request; 0 where the connection is cut off. */
async function statusOf(
  url: string,
  init: { method?: string; path: string; headers?: object; body?: string | Buffer },
) {
  const { hostname, port } = new URL(url);
  const { method = 'GET', path, headers = {}, body } = init;
  const { promise, resolve } = Promise.withResolvers<number>();
  const sent = request({ hostname, port, method, path, headers: { ...headers } }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode ?? 0));
  });
  sent.once('error', () => resolve(0)).end(body);
  return await promise;
}

test.skipIf(!hasGit)(`a request that cannot be answered is refused, and ends nothing else${why}`, async () => {
  const url = servers.git?.url ?? '';
  for (const path of ['/%00/info/refs', '/%zz', '//', '*']) expect(await statusOf(url, { path })).toBeGreaterThan(399);
  const gzip = { 'content-encoding': 'gzip', 'content-type': 'application/x-git-upload-pack-request' };
  const broken = { method: 'POST', path: '/combo.git/git-upload-pack', headers: gzip, body: 'not compressed' };
  await statusOf(url, broken);
  const registry = `http://${servers.registry.host}`;
  for (const path of ['//', '/v2/a/manifests/v1']) {
    expect(await statusOf(registry, { method: 'PUT', path, body: '{' })).not.toBe(201);
  }
  expect(await statusOf(registry, { path: `/v2/a/referrers/sha256:${'0'.repeat(64)}` })).toBe(404);
  expect(await statusOf(url, { path: '/combo.git/info/refs?service=git-upload-pack' })).toBe(200);
  expect(await statusOf(registry, { path: '/v2/' })).toBe(200);
});

test('the examples cannot be reached by another spelling of their path', async () => {
  const registry = `http://${servers.registry.host}`;
  const before = await (await fetch(at('combo/manifests/v0.0.2'))).text();
  const spellings = ['com%62o', '/combo', './combo', 'x/blobs/../../combo', 'x/tags/../../combo', 'combo/.'];
  for (const spelling of spellings) {
    const path = `/v2/${spelling}/manifests/v0.0.2`;
    expect([spelling, await statusOf(registry, { method: 'PUT', path, body: '{}' })]).toEqual([spelling, 400]);
  }
  expect(await (await fetch(at('combo/manifests/v0.0.2'))).text()).toBe(before);
  // A manifest is deleted with all its tags below the repository that is named.
  const manifest = await (await fetch(at('private/combo/manifests/v0.0.2'), { headers: { authorization } })).text();
  expect((await fetch(at('private/manifests/v1'), { method: 'PUT', body: manifest })).status).toBe(403);
  const git = servers.git?.url ?? registry;
  for (const folder of ['/%70rivate', '//private', '/x/../private']) {
    const path = `${folder}/combo.git/info/refs?service=git-upload-pack`;
    expect([folder, await statusOf(git, { path })]).toEqual([folder, 400]);
  }
});

test.skipIf(!hasGit)(
  `commits have the same hash at every start, and archives are served beside them${why}`,
  async () => {
    await using again = await startExampleServers();
    // Not in this process's own thread: the servers are in it.
    const list = async ({ git }: ExampleServers): Promise<string> =>
      (await run('git', ['ls-remote', `${git?.url}/combo.git`])).stdout;
    const refs = [await list(servers), await list(again)];
    expect(refs[0]).toContain('refs/tags/v0.0.2');
    expect(refs[1]).toBe(refs[0]);
    expect((await fetch(`${servers.git?.url}/combo-v0.0.3.tgz`)).headers.get('content-type')).toBe('application/gzip');
    expect((await fetch(`${servers.git?.url}/private/combo-v0.0.3.tgz`)).status).toBe(401);
  },
);

test('where another program has a port, a free one is used', async () => {
  const registry = Number(servers.registry.host.split(':')[1]);
  await using other = await startExampleServers({ ports: { registry, git: 0 } });
  expect(other.registry.host).not.toBe(servers.registry.host);
  expect((await fetch(`http://${other.registry.host}/v2/`)).status).toBe(200);
});
