import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileEntries, startWebServer, tarFile, type WebServer } from '../support/index.ts';
import { valid, withoutManifests } from './contents.ts';
import { bundle, conditionOf, problemOf, startWorld, statusOf, type World } from './world.ts';

const archive = gzipSync(tarFile(fileEntries(valid)));
const hex = createHash('sha256').update(archive).digest('hex');
const account = { username: 'reader', password: 'word-of-the-web-server' };
const authorization = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;

let world: World;
let secure: WebServer;
let plain: WebServer;
let attempts = 0;
let isLying = true;
const seenAtPlain: (string | undefined)[] = [];

type Page = (request: IncomingMessage, response: ServerResponse) => unknown;

/** What the secure server shows, by path. */
const pages: Readonly<Record<string, Page>> = {
  '/good.tgz': (_, response) => response.end(archive),
  '/private.tgz': (request, response) =>
    request.headers.authorization === authorization
      ? response.end(archive)
      : response.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
  '/moved.tgz': (_, response) => response.writeHead(302, { location: '/good.tgz' }).end(),
  '/downgraded.tgz': (_, response) => response.writeHead(302, { location: `${plain.url}/good.tgz` }).end(),
  '/busy.tgz': (_, response) => {
    attempts += 1;
    return attempts === 1 ? response.writeHead(503, { 'retry-after': '0' }).end() : response.end(archive);
  },
  '/liar.tgz': (_, response) => response.end(isLying ? 'other bytes' : archive),
  '/torn.tgz': (_, response) => {
    response.writeHead(200, { 'content-length': archive.length }).write(archive.subarray(0, 100));
    setImmediate(() => response.destroy());
  },
  '/page.html': (_, response) => response.end('<html>sign in</html>'),
  '/empty.tgz': (_, response) => response.end(gzipSync(tarFile(fileEntries(withoutManifests)))),
};

beforeAll(async () => {
  world = await startWorld();
  secure = await startWebServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (page === undefined) response.writeHead(404).end();
    else page(request, response);
  }, world.tls);
  plain = await startWebServer((request, response) => {
    seenAtPlain.push(request.headers.authorization);
    if (request.url === '/away.tgz') response.writeHead(302, { location: `${secure.url}/private.tgz` }).end();
    else response.end(archive);
  });
  const data = Object.entries(account).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  const hosts = `${new URL(secure.url).host},${plain.url}`;
  for (const [name, pairs, annotations] of [
    ['web', data, { 'core.rukpak.io/hosts': hosts }],
    ['half', data.slice(0, 1), { 'core.rukpak.io/hosts': hosts }],
    ['unbound', data, {}],
    ['bound', data, { 'core.rukpak.io/hosts': new URL(secure.url).host }],
  ] as const) {
    const metadata = { name, namespace: 'rukpak-system', annotations };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata };
    await world.kube.create(
      { ...secret, data: Object.fromEntries(pairs) as Record<string, string> },
      { fieldManager: 'test' },
    );
  }
});
afterAll(async () => {
  await secure[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function create(name: string, url: string, secret?: string): Promise<void> {
  const auth = secret === undefined ? {} : { auth: { secret: { name: secret } } };
  await world.kube.create(bundle(name, { type: 'http', http: { url, ...auth } }), { fieldManager: 'test' });
}

async function failureOf(name: string): Promise<string> {
  return problemOf(await world.bundleWithPhase(name, 'Failing'));
}

describe('an archive behind a URL', () => {
  test('Q18 is unpacked, and pinned by the digest of its bytes', async () => {
    await create('plain-url', `${secure.url}/good.tgz`);
    const unpacked = await world.bundleWithPhase('plain-url', 'Unpacked');
    expect(conditionOf(unpacked, 'Unpacked')?.message).toBe('Successfully unpacked the http Bundle');
    const pinned = { url: `${secure.url}/good.tgz#sha256=${hex}` };
    expect(statusOf(unpacked)['resolvedSource']).toEqual({ type: 'http', http: pinned });
  });

  test('Q18 may be pinned beforehand, and is refused if its bytes differ', async () => {
    await create('pinned', `${secure.url}/good.tgz#sha256=${hex}`);
    await world.bundleWithPhase('pinned', 'Unpacked');
    const wrong = '0'.repeat(64);
    await create('mispinned', `${secure.url}/good.tgz#sha256=${wrong}`);
    expect(await failureOf('mispinned')).toBe(
      `source bundle content: GET ${secure.url}/good.tgz: expected digest sha256:${wrong}, got sha256:${hex}`,
    );
  });

  test('is fetched again if its bytes differ from its pin', async () => {
    await create('liar', `${secure.url}/liar.tgz#sha256=${hex}`);
    expect(await failureOf('liar')).toContain(`expected digest sha256:${hex}, got sha256:`);
    isLying = false;
    await world.bundleWithPhase('liar', 'Unpacked');
  });

  test('N14 is fetched with the credentials of a Secret', async () => {
    await create('private', `${secure.url}/private.tgz`, 'web');
    await world.bundleWithPhase('private', 'Unpacked');
  });

  test('is found behind a redirect', async () => {
    await create('moved', `${secure.url}/moved.tgz`);
    await world.bundleWithPhase('moved', 'Unpacked');
  });

  test('Q18 is fetched at the second attempt from a busy server', async () => {
    await create('busy', `${secure.url}/busy.tgz`);
    await world.bundleWithPhase('busy', 'Unpacked');
    expect(attempts).toBe(2);
  });
});

describe('what is reported of', () => {
  test('credentials that another server would receive: they are not sent', async () => {
    await create('away', `${plain.url}/away.tgz`, 'web');
    expect(await failureOf('away')).toBe(
      `source bundle content: GET ${plain.url}/away.tgz: unexpected status "401 Unauthorized"`,
    );
    expect(seenAtPlain).toContain(authorization);
  });

  test.each(['unbound', 'bound'])('a Secret that does not name the server: %s', async (name) => {
    const asked = seenAtPlain.length;
    await create(`stolen-${name}`, `${plain.url}/good.tgz`, name);
    expect(await failureOf(`stolen-${name}`)).toContain(
      `source bundle content: secret "${name}" is not for the host ${plain.url}`,
    );
    expect(seenAtPlain.length).toBe(asked);
  });

  test('a Secret that names its server later: it is used then', async () => {
    await create('named-later', `${secure.url}/private.tgz`, 'unbound');
    const host = new URL(secure.url).host;
    expect(await failureOf('named-later')).toContain(
      `kubectl annotate secret unbound -n rukpak-system core.rukpak.io/hosts=${host}`,
    );
    const metadata = { name: 'unbound', namespace: 'rukpak-system', annotations: { 'core.rukpak.io/hosts': host } };
    await world.kube.apply({ apiVersion: 'v1', kind: 'Secret', metadata }, { fieldManager: 'test', force: true });
    await world.bundleWithPhase('named-later', 'Unpacked');
  });

  test('credentials for a server whose certificate is not verified: they are not sent until their Secret allows it', async () => {
    const auth = { secret: { name: 'web' }, insecureSkipVerify: true };
    const source = { type: 'http', http: { url: `${secure.url}/private.tgz`, auth } };
    await world.kube.create(bundle('unverified', source), { fieldManager: 'test' });
    expect(await failureOf('unverified')).toContain(
      'kubectl annotate secret web -n rukpak-system core.rukpak.io/allow-unverified-tls=true',
    );
    const annotations = { 'core.rukpak.io/allow-unverified-tls': 'true' };
    const metadata = { name: 'web', namespace: 'rukpak-system', annotations };
    await world.kube.apply({ apiVersion: 'v1', kind: 'Secret', metadata }, { fieldManager: 'allows', force: true });
    await world.bundleWithPhase('unverified', 'Unpacked');
  });

  test('a redirect from HTTPS to HTTP', async () => {
    await create('downgraded', `${secure.url}/downgraded.tgz`);
    expect(await failureOf('downgraded')).toContain(`redirect from HTTPS to ${plain.url}/good.tgz`);
  });

  test.each([
    { name: 'absent', path: '/absent.tgz', text: /GET https:.*\/absent\.tgz: unexpected status "404 Not Found"$/ },
    { name: 'torn', path: '/torn.tgz', text: /torn\.tgz: .*aborted|torn\.tgz: .*hang up|torn\.tgz: .*Premature/ },
    { name: 'page', path: '/page.html', text: /page\.html: / },
    { name: 'nothing', path: '/empty.tgz', text: /readdir manifests: file does not exist/ },
    { name: 'odd-pin', path: '/good.tgz#md5=abc', text: /"#md5=abc" does not pin the content: expected #sha256=/ },
  ])('$name', async ({ name, path, text }) => {
    await create(name, `${secure.url}${path}`);
    expect(await failureOf(name)).toMatch(text);
  });

  test('an invalid address, and an unsupported scheme', async () => {
    await create('no-address', 'downloads/combo.tgz');
    expect(await failureOf('no-address')).toContain('expected an https:// or http:// address');
    await create('ftp', 'ftp://example.com/combo.tgz');
    expect(await failureOf('ftp')).toContain('expected an https:// or http:// address');
  });

  test('N16, Q20 a Secret without a password', async () => {
    await create('half-secret', `${secure.url}/private.tgz`, 'half');
    expect(await failureOf('half-secret')).toBe('source bundle content: secret "half" has no key "password"');
  });
});
