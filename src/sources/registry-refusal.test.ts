import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Intercept, type Registry, startRegistry } from '../../test/support/index.ts';
import { type Clock, errorMessage, systemClock } from '../base/index.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { pinImage } from './image.ts';
import { RateLimits } from './rate-limits.ts';
import { RegistryClient } from './registry-client.ts';

let http: HttpClient;
let registry: Registry;
let intercept: Intercept;
beforeAll(async () => {
  http = createHttpClient({ answerDeadlineMs: 30_000 });
  registry = await startRegistry({ intercept: (request, response) => intercept(request, response) });
});
afterAll(async () => {
  http[Symbol.dispose]();
  await registry[Symbol.asyncDispose]();
});

const startMs = Date.parse('2026-11-21T09:00:00Z');

/** A clock that moves only when advanced. */
function createClock(): Clock & { nowMs: number } {
  const clock = { ...systemClock, nowMs: startMs, now: () => clock.nowMs, sleep: async () => undefined };
  return clock;
}

function clientFor(
  clock: Clock,
  limits: RateLimits,
  { username = '', password = 'word', client = http } = {},
): RegistryClient {
  const credentials = username === '' ? undefined : { username, password };
  return new RegistryClient({
    http: client,
    clock,
    registry: registry.host,
    repository: 'app',
    credentials: { credentials, note: 'there is no pull secret' },
    limits,
    insecureRegistries: [],
    signal: new AbortController().signal,
  });
}

async function ask(client: RegistryClient): Promise<string> {
  return await client.get('manifests/v1', { headers: () => ({}) }, async ({ body }) => {
    body.destroy();
    return 'given';
  });
}

function refusing(status: number, headers: Record<string, string> = {}, body: string = ''): Intercept {
  return (request, response) => {
    if (request.url?.includes('/manifests/') !== true) return false;
    response.writeHead(status, headers).end(body);
    return true;
  };
}

const document = (error: object): string => JSON.stringify({ errors: [error] });

test.each([
  { status: 400, name: 'TerminalError', reason: 'UnexpectedAnswer', text: '400 Bad Request' },
  {
    status: 401,
    name: 'TerminalError',
    reason: 'Unauthorized',
    text: '401 Unauthorized: credentials are missing or wrong; there is no pull secret',
  },
  {
    status: 403,
    body: document({ code: 'DENIED', message: 'requested access to the resource is denied' }),
    name: 'TerminalError',
    reason: 'Forbidden',
    text: '403 Forbidden (requested access to the resource is denied): credentials are missing or wrong; there is no pull secret',
  },
  {
    status: 404,
    body: document({ code: 'MANIFEST_UNKNOWN' }),
    name: 'TerminalError',
    reason: 'NotFound',
    text: '404 Not Found (MANIFEST_UNKNOWN)',
  },
  { status: 404, body: '<html>', name: 'TerminalError', reason: 'NotFound', text: '404 Not Found' },
  {
    status: 404,
    body: document({ message: `two\nlines \u001b[31m${'x'.repeat(1_000)}` }),
    name: 'TerminalError',
    reason: 'NotFound',
    text: `404 Not Found (two lines  [31m${'x'.repeat(185)}…)`,
  },
  { status: 404, body: 'x'.repeat(100_000), name: 'TerminalError', reason: 'NotFound', text: '404 Not Found' },
  { status: 500, name: 'TransientError', reason: 'ServerUnavailable', text: '500 Internal Server Error' },
  { status: 429, name: 'TransientError', reason: 'ServerUnavailable', text: '429 Too Many Requests' },
  {
    status: 503,
    headers: { 'retry-after': '90' },
    name: 'TransientError',
    reason: 'RateLimited',
    text: '503 Service Unavailable: the registry asks to retry after 2026-11-21T09:01:30Z',
  },
])('$status means $name $reason: $text', async ({ status, headers, body, name, reason, text }) => {
  intercept = refusing(status, headers, body);
  const clock = createClock();
  const message = `GET http://${registry.host}/v2/app/manifests/v1: ${text}`;
  await expect(ask(clientFor(clock, new RateLimits(clock)))).rejects.toMatchObject({ name, reason, message });
});

test('credentials that a server returns in an error are not shown', async () => {
  const password = 'of/the "account"';
  intercept = (request, response) => {
    if (request.url?.includes('/manifests/') !== true) return false;
    const { authorization = '' } = request.headers;
    const pair = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
    const isKnown = authorization !== '';
    const message = `${authorization}, ${pair}, ${encodeURIComponent(password)}, ${pair.split(':')[1]}`;
    response
      .writeHead(isKnown ? 403 : 401, isKnown ? {} : { 'www-authenticate': 'Basic realm="x"' })
      .end(document({ message }));
    return true;
  };
  const clock = createClock();
  const client = clientFor(clock, new RateLimits(clock), { username: 'app', password });
  await expect(ask(client)).rejects.toThrow('403 Forbidden (Basic [hidden], [hidden], [hidden], [hidden])');
});

test('a token that has the password in it is used as it is', async () => {
  const used: string[] = [];
  intercept = (request, response) => {
    const { url = '', headers } = request;
    if (url.startsWith('/token')) response.end(JSON.stringify({ token: 'a-token-of-letters' }));
    else if (headers.authorization?.startsWith('Bearer ') === true) {
      used.push(headers.authorization);
      response.end();
    } else {
      const realm = `http://${registry.host}/token`;
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="s"` }).end();
    }
    return true;
  };
  const clock = createClock();
  const client = clientFor(clock, new RateLimits(clock), { username: 'app', password: 'token' });
  expect(await ask(client)).toBe('given');
  expect(used).toEqual(['Bearer a-token-of-letters']);
});

test('a manifest of very many values is refused before it is parsed', async () => {
  const manifest = `{"a":[${'{},'.repeat(1_300_000)}1234567890123456789]}`;
  intercept = (request, response) => {
    if (request.url?.includes('/manifests/') !== true) return false;
    response.end(manifest);
    return true;
  };
  const clock = createClock();
  const limits = new RateLimits(clock);
  const deps = { http, clock, limits, insecureRegistries: [], platform: { os: 'linux', architecture: 'amd64' } };
  await expect(
    pinImage(deps, { ref: `${registry.host}/app:v1` }, { signal: new AbortController().signal }),
  ).rejects.toMatchObject({ reason: 'TooManyValues' });
});

test('credentials that a registry returns in a manifest are not shown', async () => {
  intercept = (request, response) => {
    if (request.url?.includes('/manifests/') !== true) return false;
    const { authorization = '' } = request.headers;
    if (authorization === '') response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    else response.writeHead(200).end(JSON.stringify({ schemaVersion: 2, mediaType: `type of ${authorization}` }));
    return true;
  };
  const clock = createClock();
  const limits = new RateLimits(clock);
  const deps = { http, clock, limits, insecureRegistries: [], platform: { os: 'linux', architecture: 'amd64' } };
  const credentials = { credentials: { username: 'app', password: 'word' }, note: '' };
  const request = { ref: `${registry.host}/app:v1`, credentials };
  await expect(pinImage(deps, request, { signal: new AbortController().signal })).rejects.toThrow(
    'media type "type of Basic [hidden]" is not that of an image manifest or index',
  );
});

test('credentials that a registry returns are not shown, however many others were sent meanwhile', async () => {
  const answers: (() => void)[] = [];
  intercept = (request, response) => {
    if (request.url?.includes('/manifests/') !== true) return false;
    const { authorization = '' } = request.headers;
    if (authorization === '') response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    else if (request.url.includes('/app/'))
      answers.push(() => response.end(JSON.stringify({ mediaType: authorization })));
    else response.writeHead(404).end();
    return true;
  };
  const clock = createClock();
  const limits = new RateLimits(clock);
  const deps = { http, clock, limits, insecureRegistries: [], platform: { os: 'linux', architecture: 'amd64' } };
  const pin = (name: string, password: string): Promise<string> =>
    pinImage(
      deps,
      { ref: `${registry.host}/${name}:v1`, credentials: { credentials: { username: 'app', password }, note: '' } },
      { signal: new AbortController().signal },
    ).catch((thrown: unknown) => errorMessage(thrown));
  const shown = pin('app', 'word');
  await eventually(() => expect(answers).toHaveLength(1));
  await Promise.all(Array.from({ length: 100 }, (_, index) => pin('other', `password ${index}`)));
  answers.forEach((answer) => answer());
  expect(await shown).toContain('media type "Basic [hidden]" is not that of an image manifest or index');
});

test('what a storage server behind a redirect refuses may be allowed the next time', async () => {
  await using storage = await startRegistry({ intercept: refusing(403) });
  const location = `http://${storage.host}/v2/app/manifests/v1?expires=1`;
  intercept = refusing(307, { location });
  const clock = createClock();
  const refused = ask(clientFor(clock, new RateLimits(clock)));
  await expect(refused).rejects.toMatchObject({ name: 'TransientError', reason: 'UnexpectedAnswer' });
});

describe('a registry that asks to be left alone', () => {
  test('gets no request of any client with the same account before that time', async () => {
    const clock = createClock();
    const limits = new RateLimits(clock);
    intercept = refusing(429, { 'retry-after': '60' });
    await expect(ask(clientFor(clock, limits))).rejects.toMatchObject({ reason: 'RateLimited' });
    intercept = (request, response) => {
      if (request.url?.includes('/manifests/') === true) response.end('{}');
      return request.url?.includes('/manifests/') === true;
    };
    const count = registry.requests.length;
    clock.nowMs += 59_000;
    await expect(ask(clientFor(clock, limits))).rejects.toMatchObject({
      name: 'TransientError',
      reason: 'RateLimited',
    });
    expect(registry.requests.length).toBe(count);
    await expect(ask(clientFor(clock, limits, { username: 'another' }))).resolves.toBe('given');
    clock.nowMs += 10_000;
    await expect(ask(clientFor(clock, limits))).resolves.toBe('given');
  });

  test('is asked after the clock was set back by days', () => {
    const clock = createClock();
    const limits = new RateLimits(clock);
    limits.note('registry', 60_000);
    clock.nowMs -= 2 * 24 * 3_600_000;
    expect(limits.remainingMs('registry')).toBe(0);
  });

  test('is remembered among a thousand others at most', () => {
    const clock = createClock();
    const limits = new RateLimits(clock);
    for (let index = 0; index <= 1_000; index++) limits.note(`registry-${index}`, 60_000);
    expect(limits.remainingMs('registry-0')).toBe(0);
    expect(limits.remainingMs('registry-1')).toBe(60_000);
  });
});

test('a registry without TLS is asked once a minute whether it speaks it, by all fetches together', async () => {
  intercept = () => false;
  const clock = createClock();
  const limits = new RateLimits(clock);
  const asked: string[] = [];
  const watched: HttpClient = {
    ...http,
    send: (request) => {
      asked.push(new URL(request.url).protocol);
      return http.send(request);
    },
  };
  const request = (): Promise<unknown> => ask(clientFor(clock, limits, { client: watched })).catch(() => undefined);
  await request();
  await request();
  expect(asked).toEqual(['https:', 'http:', 'http:']);
  clock.nowMs += 61_000;
  await request();
  expect(asked.slice(3)).toEqual(['https:', 'http:']);
});
