import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { expect, test } from 'vitest';
import { ConsoleVisitor, openTestConsole } from '../../../test/support/console.ts';

async function listen(handle: RequestListener): Promise<{ readonly url: string } & AsyncDisposable> {
  const server: Server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An API server that takes ID tokens of the provider, as far as signing in asks it. */
async function startTokenReader(tokens: string[]): Promise<{ readonly url: string } & AsyncDisposable> {
  return await listen((request, response) => {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    response.setHeader('content-type', 'application/json');
    if (request.url === '/apis/authentication.k8s.io/v1') {
      const resources = [
        { name: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false, verbs: ['create'] },
      ];
      response.end(JSON.stringify({ kind: 'APIResourceList', groupVersion: 'authentication.k8s.io/v1', resources }));
      return;
    }
    tokens.push(token);
    const [, payload = ''] = token.split('.');
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string };
    const status = { userInfo: { username: `oidc:${sub}`, groups: ['system:authenticated'] } };
    response.writeHead(201).end(JSON.stringify({ kind: 'SelfSubjectReview', metadata: {}, status }));
  });
}

/** A provider whose only user agrees to everything; it requires PKCE. */
async function startProvider(redirectUri: () => string): Promise<{ readonly issuer: string } & AsyncDisposable> {
  let handle: RequestListener = (_, response) => void response.end();
  const server = await listen((request, response) => handle(request, response));
  const provider = new Provider(server.url, {
    clients: [
      {
        client_id: 'longshore',
        client_secret: 'of-the-client',
        redirect_uris: [redirectUri()],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => Promise.resolve({ sub: id }) }),
    cookies: { keys: ['of-the-test'] },
  });
  const callback = provider.callback();
  handle = (request, response) => void callback(request, response);
  return { issuer: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** A browser at the provider: it keeps cookies, and fills in each form that it gets. */
class Person {
  readonly #cookies = new Map<string, string>();

  async #send(url: string, form: URLSearchParams | undefined): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = form === undefined ? {} : { method: 'POST', body: form };
    const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...sent });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }

  /** Agrees to everything, up to the address that leads back. */
  async agree(start: string, back: string): Promise<string> {
    let url = start;
    let form: URLSearchParams | undefined;
    for (let page = 0; page < 12 && !url.startsWith(back); page++) {
      const response = await this.#send(url, form);
      form = undefined;
      const location = response.headers.get('location');
      const html = await response.text();
      if (location === null) {
        const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1] ?? '';
        form = new URLSearchParams({ prompt, login: 'ada', password: 'any' });
      }
      url = new URL(location ?? /action="([^"]+)"/.exec(html)?.[1] ?? '', url).href;
    }
    return url;
  }
}

test('a user signs in with OpenID Connect: the ID token is what the API server sees', async () => {
  const tokens: string[] = [];
  await using api = await startTokenReader(tokens);
  let url = '';
  // The port of the console is known when it listens, and the provider is asked when a user signs in.
  const free = await listen((_, response) => void response.end());
  const { port } = new URL(free.url);
  await free[Symbol.asyncDispose]();
  await using provider = await startProvider(() => `http://127.0.0.1:${port}/api/sign-in/callback`);
  await using console = await openTestConsole({
    port: Number(port),
    link: undefined,
    cluster: { server: api.url, tls: () => Promise.resolve({}) },
    oidc: { issuer: provider.issuer, clientId: 'longshore', clientSecret: 'of-the-client', scopes: ['openid'] },
  });
  url = console.url;
  const visitor = new ConsoleVisitor(url);
  expect(await (await visitor.send('/api/sign-in')).json()).toEqual({
    methods: ['oidc', 'token'],
    issuer: provider.issuer,
  });
  const elsewhere = 'https://attacker.example.com/';
  const started = await visitor.post('/api/sign-in/oidc', { redirect_uri: elsewhere, returnTo: elsewhere });
  const stateCookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  expect(started.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
  const { url: address } = (await started.json()) as { url: string };
  expect(new URL(address).searchParams.get('code_challenge_method')).toBe('S256');
  expect([new URL(address).origin, new URL(address).searchParams.get('redirect_uri')]).toEqual([
    provider.issuer,
    `${url}/api/sign-in/callback`,
  ]);
  const back = await new Person().agree(address, `${url}/api/sign-in/callback`);
  const path = back.slice(url.length);

  const foreign = await new ConsoleVisitor(url).send(path, { headers: { cookie: 'longshore-sign-in=another' } });
  expect(foreign.status).toBe(400);

  visitor.cookie = stateCookie;
  const done = await visitor.send(`${path}&returnTo=${encodeURIComponent(elsewhere)}`);
  expect([done.status, done.headers.get('location'), done.headers.get('refresh')]).toEqual([200, null, '0; url=/']);
  expect(await done.text()).not.toContain('attacker');
  expect(visitor.cookie).toMatch(/^longshore-\d+=/);
  const session = (await (await visitor.send('/api/session')).json()) as { user: string; csrf: string };
  expect(session).toMatchObject({ user: 'oidc:ada', signedInBy: 'oidc' });
  expect(JSON.stringify(session)).not.toContain(tokens[0] ?? 'no token');

  visitor.cookie = stateCookie;
  expect((await visitor.send(path)).status).toBe(400);
});
