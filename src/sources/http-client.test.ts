import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventually, startProxyServer, startWebServer } from '../../test/support/index.ts';
import { createCertificateAuthority, issueCertificate, readProxySettings, systemClock } from '../base/index.ts';
import { createHttpClient, failure, type HttpClient, readBody } from './http-client.ts';
import { findCredentials, openKeyring } from './pull-credentials.ts';
import { RateLimits } from './rate-limits.ts';
import { RegistryClient } from './registry-client.ts';

const { signal } = new AbortController();
const answerDeadlineMs = 10_000;

async function textOf(http: HttpClient, url: string): Promise<string> {
  const request = { method: 'GET', url, signal } as const;
  const response = await http.send(request);
  return `${response.status} ${(await readBody(request, response, 1e6)).toString()}`;
}

describe('behind a proxy', () => {
  test('servers are reached over HTTPS with a private authority, over HTTP, and directly where NO_PROXY names them', async () => {
    const nowMs = Date.now();
    const authority = await createCertificateAuthority({ commonName: 'corporate', nowMs, lifetimeDays: 1 });
    const commonName = 'registry.corp.example';
    const tls = await issueCertificate(authority, {
      commonName,
      usage: 'server',
      dnsNames: [commonName],
      nowMs,
      lifetimeDays: 1,
    });
    await using secure = await startWebServer((_, response) => response.end('secure'), tls);
    await using plain = await startWebServer((_, response) => response.end('plain'));
    const hosts = {
      'registry.corp.example:443': new URL(secure.url).host,
      'web.corp.example': new URL(plain.url).host,
    };
    await using proxy = await startProxyServer({ login: 'me:word', hosts });
    const url = proxy.url.replace('//', '//me:word@');
    const proxies = readProxySettings({ HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '.direct.example' });
    using http = createHttpClient({ caPem: [authority.certificatePem], proxies, answerDeadlineMs });
    await expect(textOf(http, 'https://registry.corp.example/v2/')).resolves.toBe('200 secure');
    await expect(textOf(http, 'http://web.corp.example/a?b')).resolves.toBe('200 plain');
    await expect(textOf(http, plain.url)).resolves.toBe('200 plain');
    await expect(textOf(http, 'http://never.direct.example/')).rejects.toThrow('ENOTFOUND');
    expect(proxy.targets).toEqual(['registry.corp.example:443', 'http://web.corp.example/a?b']);
    using doubting = createHttpClient({ proxies, answerDeadlineMs });
    await expect(textOf(doubting, 'https://registry.corp.example/')).rejects.toThrow(/--registry-ca FILE/);
  });

  test('a server that shows very many certificates is not asked', async () => {
    const [nowMs, lifetimeDays] = [Date.now(), 1];
    const { certificatePem, privateKeyPem } = await createCertificateAuthority({
      commonName: 'many',
      nowMs,
      lifetimeDays,
    });
    const tls = { certificatePem: certificatePem.repeat(120), privateKeyPem };
    await using secure = await startWebServer((_, response) => response.end('secure'), tls);
    await using proxy = await startProxyServer({ hosts: { 'many.corp.example:443': new URL(secure.url).host } });
    const proxies = readProxySettings({ HTTPS_PROXY: proxy.url });
    using http = createHttpClient({ proxies, answerDeadlineMs, insecureSkipVerify: true });
    await expect(textOf(http, 'https://many.corp.example/')).rejects.toThrow('the TLS handshake is longer than 32 KiB');
  });

  test('one that does not answer is waited for as long as for an answer', async () => {
    const connected: Socket[] = [];
    const silent = createServer((socket) => connected.push(socket.resume())).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const proxies = readProxySettings({ HTTPS_PROXY: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
    using http = createHttpClient({ proxies, answerDeadlineMs: 200 });
    await expect(textOf(http, 'https://registry.corp.example/')).rejects.toThrow(/no answer within 0.2 s|in time/);
    await eventually(() => expect(connected.map(({ readableEnded }) => readableEnded)).toEqual([true]));
    silent.close();
  });

  test('a proxy that refuses is named, without its password', async () => {
    await using proxy = await startProxyServer({ login: 'me:word' });
    const proxies = readProxySettings({ HTTPS_PROXY: proxy.url.replace('//', '//me:secret@') });
    using http = createHttpClient({ proxies, answerDeadlineMs });
    const failed = textOf(http, 'https://registry.corp.example/');
    await expect(failed).rejects.toThrow(`GET https://registry.corp.example/: through the proxy`);
    await expect(failed).rejects.not.toThrow(/secret|bWU6c2VjcmV0/);
  });

  test('a proxy that repeats what it was sent brings none of it into an error', async () => {
    const login = 'me:secret';
    const sent = `Basic ${Buffer.from(login).toString('base64')}`;
    const refusal = `HTTP/1.1 407 ${sent} of ${login} is wrong\r\ncontent-length: 0\r\n\r\n`;
    const echoing = createServer((socket) => socket.once('data', () => socket.end(refusal))).listen(0, '127.0.0.1');
    await once(echoing, 'listening');
    const { port } = echoing.address() as AddressInfo;
    const proxies = readProxySettings({ HTTPS_PROXY: `http://${login}@127.0.0.1:${port}` });
    using http = createHttpClient({ proxies, answerDeadlineMs });
    const failed = textOf(http.apart(), 'https://registry.corp.example/');
    await expect(failed).rejects.toThrow('the answer was 407 Basic [hidden] of [hidden] is wrong');
    echoing.close();
  });
});

describe('the token server that a registry names', () => {
  test('gets no credentials when it belongs to another owner, and receives no request', async () => {
    let askedCount = 0;
    await using elsewhere = await startWebServer((_, response) => {
      askedCount += 1;
      response.end('{"token":"t"}');
    });
    const realm = elsewhere.url.replace('127.0.0.1', 'localhost');
    await using registry = await startWebServer((_, response) => {
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}/token",service="s"` }).end();
    });
    using http = createHttpClient({ answerDeadlineMs });
    const clientWith = (passwordThere?: string): RegistryClient =>
      new RegistryClient({
        http,
        clock: systemClock,
        registry: new URL(registry.url).host,
        repository: 'a/b',
        credentials: {
          credentials: { username: 'me', password: 'word' },
          note: '',
          ...(passwordThere && { ofHost: () => ({ username: 'me', password: passwordThere }) }),
        },
        limits: new RateLimits(systemClock),
        insecureRegistries: [],
        signal,
      });
    const ask = (client: RegistryClient): Promise<void> =>
      client.get('manifests/x', { headers: () => ({}) }, () => Promise.resolve());
    // With other credentials it may be another registry, whose tokens this one would get.
    for (const passwordThere of [undefined, 'other']) {
      await expect(ask(clientWith(passwordThere))).rejects.toThrow(
        `the token server ${new URL(realm).host} is neither the registry's host nor of its domain`,
      );
    }
    expect(askedCount).toBe(0);
    await expect(ask(clientWith('word'))).rejects.toThrow('401');
    expect(askedCount).toBe(1);
  });

  test('of its own domain gets its credentials, not those that the pull secret has for another registry there', async () => {
    const received: string[] = [];
    await using other = await startWebServer(({ headers: { authorization = '' } }, response) => {
      received.push(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString());
      response.writeHead(401).end();
    });
    const scope = 'repository:other/private:pull';
    await using registry = await startWebServer((_, response) => {
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${other.url}/token",scope="${scope}"` }).end();
    });
    const entries = { [new URL(registry.url).host]: 'own', [new URL(other.url).host]: 'other' };
    const auths = Object.fromEntries(
      Object.entries(entries).map(([host, password]) => [host, { username: 'me', password }]),
    );
    const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
    const keyring = openKeyring({ secrets: [{ name: 'pull', data }] });
    using http = createHttpClient({ answerDeadlineMs });
    const place = { registry: new URL(registry.url).host, repository: 'a/b' };
    const limits = new RateLimits(systemClock);
    const credentials = findCredentials(keyring, place);
    const options = { http, clock: systemClock, limits, insecureRegistries: [], signal };
    const client = new RegistryClient({ ...options, ...place, credentials });
    const asked = client.get('manifests/x', { headers: () => ({}) }, () => Promise.resolve());
    await expect(asked).rejects.toThrow('401');
    expect(received).toEqual(['me:own']);
  });

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', '169.254.169.254'])(
    'is not asked at %s by a request that is for other machines only',
    async (host) => {
      using http = createHttpClient({ answerDeadlineMs });
      const request = { method: 'GET', url: `https://${host}:1/token`, signal, isRemoteOnly: true } as const;
      await expect(http.send(request)).rejects.toThrow(expect.objectContaining({ reason: 'AddressRefused' }));
    },
  );
});

describe('link-local addresses and metadata services', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://[::ffff:169.254.169.254]/',
    'http://100.100.100.200/',
  ])('%s is not asked', async (url) => {
    using http = createHttpClient({ answerDeadlineMs });
    await expect(textOf(http, url)).rejects.toThrow(expect.objectContaining({ reason: 'AddressRefused' }));
  });

  test('are not asked when a server redirects there', async () => {
    await using server = await startWebServer((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    });
    using http = createHttpClient({ answerDeadlineMs });
    await expect(textOf(http, server.url)).rejects.toThrow(
      '169.254.169.254: the address 169.254.169.254 is link-local or a metadata service: nothing is sent there',
    );
  });
});

test('an address whose password cannot be read is refused with the reason, without the password', async () => {
  using http = createHttpClient({ answerDeadlineMs });
  await expect(http.send({ method: 'GET', url: 'http://me:50%off@127.0.0.1:1/x', signal })).rejects.toThrow(
    /^http:\/\/redacted@127\.0\.0\.1:1\/x: the username or password in it has a "%" that is not followed/,
  );
});

test.each(['http', 'https'])(
  'a connection over %s on which nothing is asked any more is closed, also where the server keeps it open',
  async (scheme) => {
    const commonName = 'localhost';
    const authority = await createCertificateAuthority({ commonName, nowMs: Date.now(), lifetimeDays: 1 });
    const names = { commonName, dnsNames: [commonName] };
    const tls = await issueCertificate(authority, { ...names, usage: 'server', nowMs: Date.now(), lifetimeDays: 1 });
    const open = new Set<Socket>();
    const handler = ({ socket }: IncomingMessage, response: ServerResponse): void => {
      open.add(socket);
      // Node.js would close it after five seconds.
      response.on('finish', () => setImmediate(() => socket.setTimeout(0)));
      socket.once('close', () => open.delete(socket));
      response.end('small');
    };
    await using server = await startWebServer(handler, scheme === 'https' ? tls : undefined);
    using http = createHttpClient({ answerDeadlineMs, insecureSkipVerify: true });
    await expect(textOf(http, `${server.url}/a`)).resolves.toBe('200 small');
    await expect(textOf(http, `${server.url}/b`)).resolves.toBe('200 small');
    expect(open.size).toBe(1);
    await eventually(() => expect(open.size).toBe(0), { timeoutMs: 30_000 });
  },
);

test('a full disk is not reported as a failure of the server whose answer was to be written', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  expect(failure({ method: 'GET', url: 'https://web.example/a.tgz', signal }, full)).toBe(full);
});

test('bodies that are large and never end make room in memory for others', async () => {
  const pieceBytes = 12 * 1024 * 1024;
  await using server = await startWebServer(({ url = '' }, response) => {
    response.on('error', () => undefined);
    if (url === '/small') response.end('small');
    else response.write(Buffer.alloc(pieceBytes));
  });
  using http = createHttpClient({ answerDeadlineMs: 60_000 });
  const stop = new AbortController();
  const ended: unknown[] = [];
  const all = Array.from({ length: 8 }, async () => {
    const request = { method: 'GET', url: `${server.url}/large`, signal: stop.signal } as const;
    await readBody(request, await http.send(request), 2 * pieceBytes).catch((thrown: unknown) => ended.push(thrown));
  });
  // Five of them fit into 64 MiB.
  await eventually(() => expect(ended).toHaveLength(3));
  for (const thrown of ended) expect(thrown).toMatchObject({ reason: 'AnswersTooLarge' });
  await expect(textOf(http, `${server.url}/small`)).resolves.toBe('200 small');
  stop.abort();
  await Promise.all(all);
});
