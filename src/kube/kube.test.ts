import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/support/index.ts';
import { type Clock, formatYaml, silentLogger, systemClock, TransientError } from '../base/index.ts';
import {
  createCache,
  createKubeClient,
  type KubeClient,
  KubeRejection,
  KubeUnavailable,
  loadClusterAccess,
  NoKindMatch,
  type ObjectCache,
  setCondition,
} from './index.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let handlers: Map<string, Handler>;
let seen: string[];
let closeServer: () => void;
let url: string;
let kube: KubeClient;
let stopper: AbortController;
function disposable(client: KubeClient): { readonly kube: KubeClient } & Disposable {
  return { kube: client, [Symbol.dispose]: () => client.close() };
}

/** Waits are not waited for. */
const hastyClock: Clock = { ...systemClock, sleep: () => Promise.resolve() };

function json(status: number, body: unknown, headers: Record<string, string> = {}): Handler {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** The first answers, one after the other; the last one for good. */
function inTurn(...list: readonly Handler[]): Handler {
  let next = 0;
  return (request, response, body) => list[Math.min(next++, list.length - 1)]?.(request, response, body);
}

const status = (code: number, reason: string, message: string): object => ({ kind: 'Status', code, reason, message });
const resources = [
  { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
  { name: 'events', kind: 'Event', namespaced: true },
  { name: 'secrets', kind: 'Secret', namespaced: true },
];
const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name: 'a' };
const path = '/api/v1/namespaces/ns/configmaps/a';
const all = '/api/v1/configmaps';
const configMap = (name: string, resourceVersion: string) => {
  return { metadata: { name, namespace: 'ns', resourceVersion, labels: { l: name } } };
};

async function connect(
  options: { deadlineMs?: number; maxBodyBytes?: number; beforeWrite?: () => void } = {},
): Promise<KubeClient> {
  const kubeconfig = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k' } }],
    clusters: [{ name: 'k', cluster: { server: url } }],
  };
  // A kubeconfig sends no token without TLS.
  const headers = (): Promise<Record<string, string>> => Promise.resolve({ authorization: 'Bearer top-secret' });
  const access = { ...(await loadClusterAccess({ text: formatYaml(kubeconfig) })), headers };
  return createKubeClient({ access, clock: hastyClock, ...options });
}

beforeEach(async () => {
  handlers = new Map([['GET /api/v1', json(200, { resources })]]);
  seen = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      const key = `${searchParams.has('watch') ? 'WATCH' : request.method} ${pathname}`;
      seen.push(key);
      const handler = handlers.get(key) ?? json(404, status(404, 'NotFound', `${pathname} not found`));
      handler(request, response, Buffer.concat(chunks).toString());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closeServer = () => {
    server.closeAllConnections();
    server.close();
  };
  kube = await connect();
  stopper = new AbortController();
});

afterEach(() => {
  stopper.abort();
  kube.close();
  closeServer();
});

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe('the client', () => {
  test('sends its token, and shows it in no error', async () => {
    let sent: string | undefined;
    handlers.set(`GET ${path}`, (request, response, body) => {
      sent = request.headers.authorization;
      json(403, status(403, 'Forbidden', 'not for you'))(request, response, body);
    });
    const thrown = await thrownBy(kube.get(ref));
    expect(sent).toBe('Bearer top-secret');
    expect(JSON.stringify([thrown, String(thrown), (thrown as Error).stack])).not.toContain('top-secret');
  });

  test('shows no value of a Secret that the server quotes, and those of other objects', async () => {
    const got = (value: string): string => `expected string, got &value.valueUnstructured{Value:${value}}`;
    const message = `failed to create typed patch object: errors:\n  .data.pin: ${got('87654321')}\n  .data.b: ${got('[12\n34]')}`;
    const refuse = json(500, status(500, '', message));
    handlers.set('PATCH /api/v1/namespaces/ns/secrets/a', refuse);
    handlers.set(`PATCH ${path}`, refuse);
    const write = async (kind: string): Promise<unknown> =>
      await thrownBy(kube.apply({ ...configMap('a', ''), apiVersion: 'v1', kind }, { fieldManager: 'test' }));
    expect(await write('ConfigMap')).toMatchObject({ message });
    const field = (name: string): string => `  .data.${name}: expected string, got a value of another type`;
    const shown = `failed to create typed patch object: errors:\n${field('pin')}\n${field('b')}`;
    expect(await write('Secret')).toMatchObject({ message: shown, failure: { message: shown } });
  });

  test('impersonates the user that was named last', async () => {
    let user: unknown;
    handlers.set(`GET ${path}`, (request, response, body) => {
      user = request.headers['impersonate-user'];
      json(200, configMap('a', '1'))(request, response, body);
    });
    await kube.actingAs({ user: 'first' }).actingAs({ user: 'second' }).get(ref);
    expect(user).toBe('second');
  });

  test.each([
    { code: 404, reason: 'NotFound', type: KubeUnavailable },
    { code: 409, reason: 'Conflict', type: KubeUnavailable },
    { code: 500, reason: 'InternalError', type: KubeUnavailable },
    { code: 409, reason: 'AlreadyExists', type: KubeRejection },
    { code: 422, reason: 'Invalid', type: KubeRejection },
    { code: 400, reason: 'BadRequest', type: KubeRejection },
  ])('maps $code $reason to an error with the message of the server', async ({ code, reason, type }) => {
    handlers.set(`GET ${path}`, json(code, status(code, reason, 'the words')));
    const thrown = await thrownBy(kube.get(ref));
    expect(thrown).toBeInstanceOf(type);
    expect(thrown).toMatchObject({ reason, message: 'the words', failure: { status: code } });
  });

  test('retries what the server was too busy for, up to a limit', async () => {
    const busy = json(429, status(429, 'TooManyRequests', 'busy'), { 'retry-after': '1' });
    handlers.set(`POST /api/v1/namespaces/ns/configmaps`, inTurn(busy, busy, json(201, configMap('a', '1'))));
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' } };
    await kube.create(object, { fieldManager: 't' });
    handlers.set(`GET ${path}`, busy);
    expect(await thrownBy(kube.get(ref))).toMatchObject({ reason: 'TooManyRequests' });
    expect(seen.filter((key) => key === `GET ${path}`)).toHaveLength(5);
  });

  test('retries reads over lost connections, and never a create', async () => {
    const lose: Handler = (request) => void request.socket.destroy();
    handlers.set(`GET ${path}`, inTurn(lose, json(200, configMap('a', '1'))));
    expect((await kube.get(ref)).metadata.name).toBe('a');
    handlers.set(`POST /api/v1/namespaces/ns/configmaps`, lose);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' } };
    expect(await thrownBy(kube.create(object, { fieldManager: 't' }))).toMatchObject({ reason: 'ConnectionFailed' });
    expect(seen.filter((key) => key.startsWith('POST'))).toHaveLength(1);
  });

  test('asks again before a write that has waited for a connection is sent', async () => {
    let mayWrite = true;
    let asked = 0;
    const beforeWrite = (): void => {
      asked += 1;
      if (!mayWrite) throw new TransientError('NotLeading', 'another process leads');
    };
    using guarded = disposable(await connect({ beforeWrite }));
    const held: (() => void)[] = [];
    handlers.set(`GET ${path}`, (...exchange) => void held.push(() => json(200, configMap('a', '1'))(...exchange)));
    handlers.set('DELETE /api/v1/namespaces/ns/configmaps/a', json(200, {}));
    await guarded.kube.resolve('v1', 'ConfigMap');
    const reads = Array.from({ length: 32 }, () => guarded.kube.get(ref));
    await eventually(() => expect(held).toHaveLength(32));
    const write = thrownBy(guarded.kube.delete(ref));
    await eventually(() => expect(asked).toBe(1));
    mayWrite = false;
    for (const answer of held) answer();
    await Promise.all(reads);
    expect(await write).toMatchObject({ reason: 'NotLeading' });
    expect(seen.filter((key) => key.startsWith('DELETE'))).toEqual([]);
  });

  test('limits the time for a response', async () => {
    kube.close();
    handlers.set('GET /api/v1', () => undefined);
    kube = await connect({ deadlineMs: 100 });
    expect(await thrownBy(kube.get(ref))).toMatchObject({ reason: 'DeadlineExceeded' });
  });

  test('limits the size of a response', async () => {
    kube.close();
    kube = await connect({ maxBodyBytes: 1000 });
    handlers.set(`GET ${path}`, json(200, { data: 'x'.repeat(2000) }));
    expect(await thrownBy(kube.get(ref))).toMatchObject({ reason: 'BodyTooLarge' });
  });

  /** Serves a list in pages; answers the limits that are asked for. */
  function servePages(objects: readonly object[]): readonly number[] {
    const limits: number[] = [];
    handlers.set(`GET ${all}`, (request, response, body) => {
      const query = new URL(request.url ?? '', url).searchParams;
      const [start, limit] = [Number(query.get('continue')), Number(query.get('limit'))];
      limits.push(limit);
      const rest = start + limit < objects.length ? String(start + limit) : '';
      const metadata = { resourceVersion: '5', continue: rest };
      json(200, { metadata, items: objects.slice(start, start + limit) })(request, response, body);
    });
    return limits;
  }

  test('reads a list of large objects in pages of fewer objects', async () => {
    const sizeOf = (index: number): number => (index === 300 || index === 301 ? 5_000_000 : 30_000);
    const large = Array.from({ length: 900 }, (_, index) => ({
      ...configMap(`large-${index}`, '3'),
      data: { a: 'x'.repeat(index < 302 ? sizeOf(index) : 0) },
    }));
    const limits = servePages(large);
    const names: (string | undefined)[] = [];
    for await (const { items } of kube.listPages({ apiVersion: 'v1', kind: 'ConfigMap' })) {
      for (const { metadata } of items) names.push(metadata.name);
    }
    expect(names).toEqual(large.map(({ metadata }) => metadata.name));
    expect(limits.slice(0, 3)).toEqual([500, 62, 124]);
    expect(Math.min(...limits)).toBe(1);
    // What follows the large ones is read in large pages again.
    expect(limits.at(-1)).toBeGreaterThan(200);
  });

  test('reads a list of objects with very many values in pages of fewer objects', async () => {
    const items = Array.from({ length: 20 }, (_, index) => ({
      ...configMap(`costly-${index}`, '3'),
      values: Array.from({ length: index < 4 ? 200_000 : 10 }, () => 1),
    }));
    const limits = servePages(items);
    const found = await kube.list({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(found.items.map(({ metadata }) => metadata.name)).toEqual(items.map(({ metadata }) => metadata.name));
    expect(limits.slice(0, 4)).toEqual([500, 62, 7, 1]);
  });

  test('treats a response that is not JSON as a lost one', async () => {
    const cut = (code: number): Handler => {
      return (_request, response) => {
        response.writeHead(code, { 'content-type': 'application/json' }).end('{"metadata": {"na');
      };
    };
    handlers.set(`GET ${path}`, inTurn(cut(200), cut(429), json(200, configMap('a', '1'))));
    expect((await kube.get(ref)).metadata.name).toBe('a');
    handlers.set(`PATCH ${path}`, cut(200));
    const thrown = await thrownBy(kube.patch(ref, {}, { fieldManager: 't' }));
    expect(thrown).toBeInstanceOf(KubeUnavailable);
    expect(thrown).toMatchObject({ reason: 'BadAnswer' });
    handlers.set(`GET ${path}`, cut(500));
    expect(await thrownBy(kube.get(ref))).toMatchObject({ reason: 'Http500' });
  });

  test('refuses an answer with a __proto__ key', async () => {
    handlers.set(`GET ${path}`, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"metadata": {"__proto__": {"name": "a"}}}');
    });
    expect(await thrownBy(kube.get(ref))).toMatchObject({ reason: 'ForbiddenKey' });
  });

  test('reads all pages of a list', async () => {
    const page = (names: string[], next: string) => {
      const items = names.map((name) => configMap(name, '1'));
      return json(200, { metadata: { resourceVersion: '7', continue: next }, items });
    };
    handlers.set(`GET ${all}`, inTurn(page(['a', 'b'], 'more'), page(['c'], '')));
    const { items, resourceVersion } = await kube.list({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap a',
      'ConfigMap b',
      'ConfigMap c',
    ]);
    expect(resourceVersion).toBe('7');
  });

  test('names a missing kind, and finds it once it exists', async () => {
    const thrown = await thrownBy(kube.resolve('example.com/v1', 'Thing'));
    expect(thrown).toBeInstanceOf(NoKindMatch);
    expect(thrown).toMatchObject({ message: 'no matches for kind "Thing" in version "example.com/v1"' });
    expect(await thrownBy(kube.resolve('../../x/v1', 'Thing'))).toBeInstanceOf(NoKindMatch);
    handlers.set(
      'GET /apis/example.com/v1',
      json(200, { resources: [{ name: 'things', kind: 'Thing', namespaced: false }] }),
    );
    expect(await kube.resolve('example.com/v1', 'Thing')).toMatchObject({ plural: 'things', isNamespaced: false });
  });
});

describe('the cache', () => {
  function start(): ObjectCache<string> {
    return createCache<string>({
      kube,
      target: { apiVersion: 'v1', kind: 'ConfigMap' },
      project: ({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`,
      index: ({ metadata }) => Object.values(metadata.labels ?? {}),
      clock: hastyClock,
      log: silentLogger(),
      signal: stopper.signal,
    });
  }
  const list = (resourceVersion: string, ...items: object[]): Handler =>
    json(200, { metadata: { resourceVersion }, items });
  const events = (isOpen: boolean, ...items: readonly [string, object][]): Handler => {
    return (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const [type, object] of items) response.write(`${JSON.stringify({ type, object })}\n`);
      if (!isOpen) response.end();
    };
  };

  test('follows additions, changes and removals, resumes, and lists again after 410', async () => {
    handlers.set(
      `GET ${all}`,
      inTurn(list('5', configMap('a', '3'), configMap('b', '4')), list('20', configMap('d', '19'))),
    );
    const expired = status(410, 'Expired', 'too old');
    handlers.set(
      `WATCH ${all}`,
      inTurn(
        events(false, ['ADDED', configMap('c', '6')], ['MODIFIED', configMap('a', '7')]),
        events(false, ['DELETED', configMap('b', '8')], ['BOOKMARK', configMap('', '9')]),
        events(false, ['ERROR', expired]),
        events(true),
      ),
    );
    const cache = start();
    const changes: string[] = [];
    cache.subscribe(({ before, after }) => changes.push(`${before ?? '-'} → ${after ?? '-'}`));
    await cache.whenSynced;
    await eventually(() => {
      expect(cache.values()).toEqual(['d@19']);
    });
    expect(changes.slice(2)).toEqual(['- → c@6', 'a@3 → a@7', 'b@4 → -', '- → d@19', 'a@7 → -', 'c@6 → -']);
    expect(cache.indexed('d')).toEqual(['d@19']);
    expect(cache.indexed('a')).toEqual([]);
  });

  test('reports to waiting callers that the kind may not be listed, and keeps trying', async () => {
    const refused = status(403, 'Forbidden', 'configmaps is forbidden');
    handlers.set(`GET ${all}`, inTurn(json(403, refused), list('5', configMap('a', '3'))));
    handlers.set(`WATCH ${all}`, events(true));
    const cache = start();
    await expect(cache.whenAnswered()).rejects.toThrow('configmaps is forbidden');
    await cache.whenAnswered();
    await cache.whenSynced;
    expect(cache.values()).toEqual(['a@3']);
  });

  test('recovers from broken responses', async () => {
    handlers.set(`GET ${all}`, inTurn(json(500, {}), list('5', configMap('a', '3'))));
    const broken: Handler = (_request, response) => {
      response.writeHead(200);
      response.end('not json\n');
    };
    handlers.set(`WATCH ${all}`, inTurn(broken, events(true, ['MODIFIED', configMap('a', '8')])));
    const cache = start();
    await eventually(() => {
      expect(cache.get('a', 'ns')).toBe('a@8');
    });
  });

  test('is empty and dead when its kind vanishes', async () => {
    handlers.set(`GET ${all}`, list('5', configMap('a', '3')));
    handlers.set(`WATCH ${all}`, (_request, response) => {
      response.writeHead(404, { 'content-type': 'text/plain' });
      response.end('404 page not found\n');
    });
    const cache = start();
    await eventually(() => {
      expect(cache.isAlive()).toBe(false);
    });
    expect(cache.values()).toEqual([]);
  });
});

test('a condition retains its place, and its transition time while its status is unchanged', () => {
  const condition = { type: 'A', status: 'True', reason: 'R', message: 'm' } as const;
  const first = setCondition([], condition, 0);
  const second = setCondition([...first, { ...first[0], type: 'B' } as never], { ...condition, message: 'n' }, 60_000);
  expect(second.map(({ type, message, lastTransitionTime }) => [type, message, lastTransitionTime])).toEqual([
    ['A', 'n', '1970-01-01T00:00:00Z'],
    ['B', 'm', '1970-01-01T00:00:00Z'],
  ]);
  expect(setCondition(second, { ...condition, status: 'False' }, 60_000)[0]?.lastTransitionTime).toBe(
    '1970-01-01T00:01:00Z',
  );
});

test.each([
  { name: 'no mapping', text: '[]', why: 'expected a mapping' },
  { name: 'no context', text: 'current-context: x', why: 'no entry "x" in contexts' },
  {
    name: 'no server',
    text: 'current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k, cluster: {}}]',
    why: 'the cluster has no valid server',
  },
])('a kubeconfig with $name is refused', async ({ text, why }) => {
  await expect(loadClusterAccess({ text })).rejects.toMatchObject({
    reason: 'InvalidKubeconfig',
    message: `kubeconfig: ${why}`,
  });
});
