import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConsoleVisitor, openTestConsole, streamMessages, type TestConsole } from '../../test/support/console.ts';
import { eventually } from '../../test/support/index.ts';
import { type CommandRun, RecentLines } from './index.ts';

const runs: CommandRun[] = [];
let console: TestConsole;

beforeAll(async () => {
  console = await openTestConsole({
    crds: ['crds'],
    runCommand: async (run) => {
      runs.push(run);
      return await Promise.resolve({ exitCode: 0, stdout: '{"fine":true}\n', stderr: 'note\n' });
    },
  });
});

afterAll(() => console[Symbol.asyncDispose]());

/** A request with a host name of its own, which `fetch` does not send. */
async function rawRequest(head: string): Promise<string> {
  const { port } = new URL(console.url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${head.replaceAll('\n', '\r\n')}\r\nconnection: close\r\n\r\n`);
  return await text(socket);
}

async function reasonOf(response: Response): Promise<string> {
  return ((await response.json()) as { reason: string }).reason;
}

describe('a session', () => {
  test('begins with a link, which works once', async () => {
    const used = console.link();
    const visitor = new ConsoleVisitor(console.url);
    const first = await visitor.signIn('/api/sign-in/link', { secret: used.split('#')[1] });
    expect(first.status).toBe(200);
    expect(first.headers.get('set-cookie')).toMatch(
      new RegExp(`^longshore-${new URL(console.url).port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    const again = await new ConsoleVisitor(console.url).signIn('/api/sign-in/link', { secret: used.split('#')[1] });
    expect([again.status, await reasonOf(again)]).toEqual([401, 'LinkUsed']);
    expect(console.link()).not.toBe(used);
  });

  test('reports who is signed in, and no credentials', async () => {
    const visitor = await console.administrator();
    const session = await (await visitor.send('/api/session')).text();
    expect(JSON.parse(session)).toMatchObject({ user: 'kubernetes-admin', isEmbedded: true, signedInBy: 'link' });
    const { key } = await console.access.tls();
    expect(key?.toString()).toContain('PRIVATE KEY');
    for (const secret of [console.token, 'PRIVATE KEY', 'CERTIFICATE']) expect(session).not.toContain(secret);
  });

  test('ends when the user signs out', async () => {
    const visitor = await console.administrator();
    expect((await visitor.send('/api/session', { method: 'DELETE' })).status).toBe(200);
    expect((await visitor.send('/api/session')).status).toBe(401);
  });

  test('begins with a bearer token that the API server accepts', async () => {
    const visitor = new ConsoleVisitor(console.url);
    const accepted = await visitor.signIn('/api/sign-in/token', { token: console.token });
    expect(await accepted.json()).toMatchObject({ user: 'kubernetes-admin', signedInBy: 'token' });
    const refused = await visitor.signIn('/api/sign-in/token', { token: 'not-a-token' });
    expect([refused.status, await reasonOf(refused)]).toEqual([401, 'CredentialsRefused']);
  });
});

describe('a page of another origin', () => {
  test('is refused by its name: a name that resolves to this machine is not the console', async () => {
    const response = await rawRequest('GET /api/session HTTP/1.1\nhost: rebound.example.com:80');
    expect(response).toMatch(/^HTTP\/1\.1 421 /);
    expect(response).toContain('UnknownHost');
  });

  test('changes nothing, even with the cookie of the session', async () => {
    const visitor = await console.administrator();
    const path = '/k8s/api/v1/namespaces';
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'forged' } });
    const foreign = await visitor.send(path, { method: 'POST', body, headers: { origin: 'http://127.0.0.1:1' } });
    expect([foreign.status, await reasonOf(foreign)]).toEqual([403, 'ForeignOrigin']);
    const sameSite = await visitor.send(path, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-site' } });
    expect([sameSite.status, await reasonOf(sameSite)]).toEqual([403, 'ForeignOrigin']);
    const withoutToken = await visitor.send(path, { method: 'POST', body, headers: { 'x-longshore-csrf': 'x' } });
    expect([withoutToken.status, await reasonOf(withoutToken)]).toEqual([403, 'TokenMissing']);
    const { items } = await console.kube.list({ apiVersion: 'v1', kind: 'Namespace' });
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('forged');
    expect((await visitor.post(path, JSON.parse(body))).status).toBe(201);
  });

  test('reads nothing of the stream and of the API', async () => {
    const visitor = await console.administrator();
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    for (const path of ['/api/stream?watch=installed', '/k8s/api/v1/namespaces', '/api/session']) {
      expect((await visitor.send(path, { headers })).status, path).toBe(403);
    }
  });

  test('cannot frame the page or load anything into it', async () => {
    const response = await fetch(console.url);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('the proxy', () => {
  test('forwards as the viewer, and nothing without a session', async () => {
    const visitor = await console.administrator();
    const list = await visitor.send('/k8s/api/v1/namespaces?limit=2');
    expect(((await list.json()) as { kind: string }).kind).toBe('NamespaceList');
    expect((await new ConsoleVisitor(console.url).send('/k8s/api/v1/namespaces')).status).toBe(401);
  });

  test('never reads Secrets, and forwards no watch', async () => {
    const visitor = await console.administrator();
    await console.kube.create(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden', namespace: 'default' } },
      { fieldManager: 'test' },
    );
    const secret = await visitor.send('/k8s/api/v1/namespaces/default/secrets/hidden');
    expect([secret.status, await reasonOf(secret)]).toEqual([403, 'NotForwarded']);
    const watch = await visitor.send('/k8s/api/v1/namespaces?watch=true');
    expect([watch.status, await reasonOf(watch)]).toEqual([400, 'UnknownParameter']);
    const stream = await visitor.send('/api/stream?watch=objects%20v1%20Secret');
    expect([stream.status, await reasonOf(stream)]).toEqual([403, 'NotShown']);
  });
});

const deployment = {
  apiVersion: 'core.rukpak.io/v1alpha1',
  kind: 'BundleDeployment',
  metadata: { name: 'harbour' },
  spec: {
    provisionerClassName: 'core-rukpak-io-plain',
    template: {
      spec: {
        provisionerClassName: 'core-rukpak-io-plain',
        source: { type: 'image', image: { ref: 'registry.example.com/harbour:v1' } },
      },
    },
  },
};

test('the stream sends what is installed, and its changes', async () => {
  const visitor = await console.administrator();
  const stop = new AbortController();
  const response = await visitor.send('/api/stream?watch=installed', { signal: stop.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const key = 'BundleDeployment//harbour';
  let isCreated = false;
  for await (const message of streamMessages(response)) {
    if (message['state'] === 'live' && !isCreated) {
      isCreated = true;
      await console.kube.create(deployment, { fieldManager: 'test' });
    }
    const row = (message['put'] as Record<string, { status: string }> | undefined)?.[key];
    if (row !== undefined) {
      expect(row.status).toBe('Progressing');
      await console.kube.delete({ ...deployment, name: 'harbour' });
    }
    if ((message['removed'] as string[] | undefined)?.includes(key) === true) break;
  }
  stop.abort();
  expect(isCreated).toBe(true);
});

describe('a command', () => {
  test('is run as the viewer, and named as a user would type it', async () => {
    const visitor = await console.administrator();
    const result = await (await visitor.post('/api/commands/tree', { name: 'harbour' })).json();
    expect(result).toEqual({
      command: 'longshore tree bd/harbour -o json',
      exitCode: 0,
      output: { fine: true },
      messages: 'note\n',
    });
    expect(runs.at(-1)?.kubeconfig).toHaveProperty('path');
  });

  test('is named in a way that a shell takes for the words that it was run with', async () => {
    const visitor = await console.administrator();
    const files = [{ path: "it's; id.tgz", base64: '' }];
    const { command } = (await (await visitor.post('/api/commands/validate', { files, form: 'json' })).json()) as {
      command: string;
    };
    expect(command).toBe(`longshore bundle validate 'bundle/it'\\''s; id.tgz'`);
  });

  test('of a user with a token has a kubeconfig of that token', async () => {
    const { token } = console;
    const visitor = new ConsoleVisitor(console.url);
    await visitor.signIn('/api/sign-in/token', { token });
    await visitor.post('/api/commands/history', { name: 'harbour' });
    expect(runs.at(-1)?.kubeconfig).toMatchObject({ document: { users: [{ user: { token } }] } });
  });

  test.each([
    ['a name that is an option', 'tree', { name: '--kubeconfig=/etc/passwd' }],
    ['a name with a blank', 'tree', { name: 'a b' }],
    ['an image that is an option', 'validate', { image: '--output', form: 'json' }],
    ['an image that is a folder', 'validate', { image: '/etc', form: 'json' }],
    ['an image that leaves the folder of the request', 'validate', { image: 'a/../../etc', form: 'json' }],
    ['a file outside of its folder', 'validate', { files: [{ path: '../x', base64: '' }], form: 'json' }],
    ['an absolute file', 'validate', { files: [{ path: '/x', base64: '' }], form: 'json' }],
    ['a form that is none', 'validate', { files: [{ path: 'x', base64: '' }], form: 'junit' }],
  ])('is not run with %s', async (_, command, body) => {
    const visitor = await console.administrator();
    const before = runs.length;
    const response = await visitor.post(`/api/commands/${command}`, body);
    expect([response.status, await reasonOf(response)]).toEqual([400, 'InvalidRequest']);
    expect(runs.length).toBe(before);
  });

  test('that pages do not run is refused', async () => {
    const visitor = await console.administrator();
    expect((await visitor.post('/api/commands/up', {})).status).toBe(404);
    expect((await visitor.post('/api/commands/constructor', {})).status).toBe(404);
  });
});

describe('a body', () => {
  test.each(['/api/commands/validate', '/k8s/api/v1/namespaces'])(
    'of a user who is not signed in is not read: %s',
    async (path) => {
      const { host } = new URL(console.url);
      const head = `POST ${path} HTTP/1.1\nhost: ${host}\ncontent-type: application/json\ncontent-length: 900000`;
      expect(await rawRequest(head)).toMatch(/^HTTP\/1\.1 401 /);
    },
  );

  test('of very many small values is refused before it is parsed', async () => {
    const visitor = await console.administrator();
    const files = Array.from({ length: 60_000 }, () => ({}));
    const response = await visitor.post('/api/commands/validate', { files, form: 'json' });
    expect([response.status, await reasonOf(response)]).toEqual([400, 'InvalidBody']);
  });

  test('that is no JSON is refused', async () => {
    const visitor = await console.administrator();
    const response = await visitor.send('/api/commands/tree', { method: 'POST', body: '{' });
    expect([response.status, await reasonOf(response)]).toEqual([400, 'InvalidBody']);
  });
});

describe('the log of the controllers', () => {
  const path = '/api/log?kind=BundleDeployment&namespace=&name=tide';

  test('of this process is for the user who started it; another user needs the permission to read logs of Pods', async () => {
    const recentLines = new RecentLines();
    const entry = { level: 30, time: '2026-01-01T00:00:00Z', controller: 'bundledeployment', object: 'tide' };
    recentLines.add(JSON.stringify({ ...entry, msg: 'installed' }));
    await using other = await openTestConsole({ recentLines });
    const owner = await other.administrator();
    const own = await (await owner.send(path)).json();
    expect(own).toMatchObject({ lines: [{ message: 'installed', level: 'info', pod: '' }], command: '' });

    const guest = new ConsoleVisitor(other.url);
    await guest.signIn('/api/sign-in/token', { token: await other.tokenOf('guest') });
    const refused = await guest.send(path);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('cannot list resource');

    const admin = new ConsoleVisitor(other.url);
    await admin.signIn('/api/sign-in/token', { token: other.token });
    const read = await (await admin.send(path)).json();
    expect(read).toMatchObject({ lines: [], command: expect.stringContaining('kubectl logs') as unknown });
  });

  test.each(['kind=../x&name=a', 'kind=Pod&name=', 'kind=Pod&namespace=a/b&name=c'])(
    'is not read for %s',
    async (query) => {
      const visitor = await console.administrator();
      expect((await visitor.send(`/api/log?${query}`)).status).toBe(400);
    },
  );
});

describe('attempts to sign in', () => {
  async function guesses(visitor: ConsoleVisitor, count: number, headers: Record<string, string> = {}) {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < count; attempt++) {
      const body = JSON.stringify({ secret: `guess-${attempt}` });
      const { status } = await visitor.send('/api/sign-in/link', { method: 'POST', body, headers });
      statuses.push(status);
    }
    return statuses;
  }

  test('that fail are held up; a valid link and a session are not', async () => {
    await using other = await openTestConsole();
    const before = await other.administrator();
    const statuses = await guesses(new ConsoleVisitor(other.url), 22);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.slice(20)).toEqual([429, 429]);
    const [, secret] = other.link().split('#');
    expect((await new ConsoleVisitor(other.url).signIn('/api/sign-in/link', { secret })).status).toBe(200);
    expect((await before.send('/api/session')).status).toBe(200);
  });

  test('that fail hold up their own client alone, whose address the proxy in front notes', async () => {
    await using other = await openTestConsole({ proxyCount: 1 });
    const visitor = new ConsoleVisitor(other.url);
    const attacker = { 'x-forwarded-for': '192.0.2.1' };
    expect((await guesses(visitor, 21, attacker)).at(-1)).toBe(429);
    const forged = { 'x-forwarded-for': '198.51.100.7, 192.0.2.1' };
    expect(await guesses(visitor, 1, forged)).toEqual([429]);
    const neighbour = await visitor.send('/api/sign-in/token', {
      method: 'POST',
      body: JSON.stringify({ token: other.token }),
      headers: { 'x-forwarded-for': '192.0.2.2' },
    });
    expect(neighbour.status).toBe(200);
  });

  test('count for the network of an IPv6 client, and what a client without a proxy notes for itself does not count', async () => {
    await using other = await openTestConsole({ proxyCount: 1 });
    const visitor = new ConsoleVisitor(other.url);
    await guesses(visitor, 20, { 'x-forwarded-for': '2001:db8::1' });
    expect(await guesses(visitor, 1, { 'x-forwarded-for': '2001:db8::2' })).toEqual([429]);
    await using direct = await openTestConsole();
    await guesses(new ConsoleVisitor(direct.url), 20, { 'x-forwarded-for': '192.0.2.1' });
    expect(await guesses(new ConsoleVisitor(direct.url), 1, { 'x-forwarded-for': '192.0.2.2' })).toEqual([429]);
  });

  test('that succeed again and again end sessions of no one else', async () => {
    await using other = await openTestConsole();
    const token = await other.tokenOf('viewer');
    const first = await other.administrator();
    const own = new ConsoleVisitor(other.url);
    await own.signIn('/api/sign-in/token', { token });
    for (let count = 0; count < 20; count++) {
      await new ConsoleVisitor(other.url).signIn('/api/sign-in/token', { token });
    }
    expect((await own.send('/api/session')).status).toBe(401);
    expect((await first.send('/api/session')).status).toBe(200);
  });
});

describe('uploads', () => {
  /** A request whose body never comes, once the server has read its head. */
  async function openUpload(visitor: ConsoleVisitor, url: string, bytes: number) {
    const { host, port } = new URL(url);
    const lines = [
      'POST /api/commands/validate HTTP/1.1',
      `host: ${host}`,
      'content-type: application/json',
      `content-length: ${bytes}`,
      'expect: 100-continue',
      `cookie: ${visitor.cookie}`,
      `x-longshore-csrf: ${visitor.csrf}`,
    ];
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 100 /);
    return socket;
  }

  test('of one user, in all sessions, have a share; those of another user have theirs', async () => {
    await using other = await openTestConsole();
    const [first, second] = [await other.administrator(), await other.administrator()];
    const held = await openUpload(first, other.url, 30 * 1024 * 1024);
    const body = { files: [{ path: 'x.yaml', base64: 'a'.repeat(12 * 1024 * 1024) }], form: 'json' };
    const response = await second.post('/api/commands/validate', body);
    expect([response.status, await reasonOf(response)]).toEqual([429, 'TooManyUploads']);
    const author = new ConsoleVisitor(other.url);
    await author.signIn('/api/sign-in/token', { token: await other.tokenOf('author') });
    const refused = await author.post('/api/commands/validate', body);
    expect([refused.status, await reasonOf(refused)]).toEqual([403, 'Forbidden']);
    held.destroy();
    await eventually(async () => expect((await second.post('/api/commands/validate', body)).status).toBe(200));
  });
});
