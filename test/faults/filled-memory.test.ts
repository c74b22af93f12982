/** @module-tag long */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ServerProcess, startServer } from './server-process.ts';

const collection = '/api/v1/namespaces/default/podtemplates';
const headers = { 'content-type': 'application/json' };
const filling = 'x'.repeat(2_500_000);
const oldSpaceMebibytes = 160;
const heap = ['env', `NODE_OPTIONS=--max-old-space-size=${oldSpaceMebibytes}`];
/** Far more than its heap has room for. */
const most = 150;

async function create(
  server: ServerProcess,
  name: string,
  text = filling,
): Promise<{ readonly status: number; readonly text: string }> {
  const template = { spec: { containers: [{ name: 'c', image: 'registry.example/c:1', args: [text] }] } };
  const object = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name }, template };
  return await server.connection.ask({ method: 'POST', path: collection, headers, body: JSON.stringify(object) });
}

async function fill(
  server: ServerProcess,
  filling: string,
): Promise<{ readonly stored: number; readonly text: string }> {
  for (let stored = 0; stored < most; stored += 1) {
    const { status, text } = await create(server, `big-${stored}`, filling);
    if (status !== 201) return { stored, text };
  }
  return { stored: most, text: '' };
}

test('pods that controllers read together are fewer than what is stored otherwise', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-filled-'));
  try {
    await using server = await startServer(folder, heap);
    const path = '/api/v1/namespaces/default/pods';
    const create = async (index: number): Promise<string> => {
      const spec = { containers: [{ name: 'c', image: 'registry.example/c:1', args: [filling] }] };
      const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `big-${index}` }, spec };
      return (await server.connection.ask({ method: 'POST', path, headers, body: JSON.stringify(object) })).text;
    };
    let text = '';
    for (let index = 0; index < 20 && !text.includes('InsufficientStorage'); index += 1) text = await create(index);
    expect(text).toContain('database space exceeded: all pods have');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a server goes on when one user sends very many large objects of small values at a time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-dense-'));
  try {
    await using server = await startServer(folder, heap);
    const env = Array.from({ length: 40 }, (_, at) => ({ name: `e${at}` }));
    const containers = Array.from({ length: 900 }, (_, at) => ({ name: `c${at}`, image: 'registry.example/c:1', env }));
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers } });
    const path = '/api/v1/namespaces/default/pods?dryRun=All&timeout=10s';
    const asked = Array.from({ length: 60 }, () => server.connection.ask({ method: 'POST', path, headers, body }));
    // Those that come too late are refused.
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses).toContain(201);
    expect(statuses.filter((status) => ![201, 429, 504].includes(status))).toEqual([]);
    expect(server.hasEnded).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

function credential(kubeconfig: string, name: string): Buffer {
  return Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64');
}

/** A hundred requests that are not read. */
function leaveUnread(kubeconfig: string, path: string): Disposable {
  const [ca, cert, key] = ['certificate-authority', 'client-certificate', 'client-key'].map((name) =>
    credential(kubeconfig, name),
  );
  const session = connect(/server: (\S+)/.exec(kubeconfig)?.[1] ?? '', { ca, cert, key });
  session.on('error', () => {});
  for (let count = 0; count < 100; count += 1) session.request({ ':path': path }).on('error', () => {});
  return { [Symbol.dispose]: () => session.destroy() };
}

test('very many lists of one user at a time, which are not read, do not fill the memory of a server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-lists-'));
  try {
    await using server = await startServer(folder, ['env', 'NODE_OPTIONS=--max-old-space-size=512']);
    for (let index = 0; index < 6; index += 1) await create(server, `big-${index}`);
    using sessions = new DisposableStack();
    for (let count = 0; count < 10; count += 1) sessions.use(leaveUnread(server.kubeconfig, collection));
    for (let count = 0; count < 100; count += 1) {
      const path = `${collection}/big-${count % 6}`;
      expect((await server.connection.ask({ method: 'GET', path, headers: {} })).status).toBe(200);
    }
    expect(server.hasEnded).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each([
  ['of one byte a character', filling],
  ['of two bytes a character', 'ж'.repeat(1_400_000)],
])(
  'a server that a user fills with objects refuses more, serves what it has, and starts again: %s',
  async (_name, filling) => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-filled-'));
    try {
      const first = await startServer(folder, heap);
      const { stored, text } = await fill(first, filling);
      expect(text).toContain('"reason":"InsufficientStorage"');
      expect(text).toContain('etcdserver: mvcc: database space exceeded: all objects have');
      // Starting reads the texts twice; V8 may not have collected the first ones when it needs room for the second.
      const limit = /of (\d+) MiB for which/.exec(text)?.[1];
      expect(Number(limit)).toBeLessThan(oldSpaceMebibytes / 4);
      await first.kill();

      await using second = await startServer(folder, heap);
      const list = await second.connection.ask({ method: 'GET', path: `${collection}?limit=500`, headers });
      expect((list.body as unknown as { items: unknown[] }).items.length).toBeGreaterThanOrEqual(stored);
      expect((await create(second, 'more', filling)).status).toBe(507);
      const gone = await second.connection.ask({ method: 'DELETE', path: `${collection}/big-0`, headers });
      expect(gone.status).toBe(200);
      expect((await create(second, 'more', filling)).status).toBe(201);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

const podPath = '/api/v1/namespaces/default/pods';
const merging = 'application/merge-patch+json';
/** Empty objects, without the brackets around them. */
const empty = (count: number): string => Array.from({ length: count }, () => '{}').join(',');

test.each([
  ['a pod of empty containers', podPath, `{"metadata":{"name":"a"},"spec":{"containers":[${empty(120_000)}]}}`],
  ['empty owner references', collection, `{"metadata":{"name":"a","ownerReferences":[${empty(120_000)}]}}`],
])('an object of very many small values is refused before it grows: %s', async (_name, path, body) => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-filled-'));
  try {
    await using server = await startServer(folder, ['env', 'NODE_OPTIONS=--max-old-space-size=256']);
    const refused = await server.connection.ask({ method: 'POST', path, headers, body });
    expect(refused.status).toBe(413);
    expect(refused.text).toContain('fields and items, the limit is 100000');
    expect((await create(server, 'other')).status).toBe(201);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const many = empty(900_000);

test('a body of very many small values is refused before it is parsed, whatever it is for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-filled-'));
  try {
    await using server = await startServer(folder, ['env', 'NODE_OPTIONS=--max-old-space-size=256']);
    expect((await create(server, 'a')).status).toBe(201);
    const send = async (request: string, body: string, type = 'application/json') => {
      const [method = '', path = ''] = request.split(' ');
      return await server.connection.ask({ method, path, headers: { 'content-type': type }, body });
    };
    const answers = [
      await send(`POST ${podPath}`, `{"metadata":{"name":"a"},"spec":{"containers":[${many}]}}`),
      await send(`PATCH ${collection}/a`, `[${many}]`, 'application/json-patch+json'),
      await send(`PATCH ${collection}/a`, ` {"unknown":[${many}]}`, merging),
      await send(`PATCH ${collection}/a?fieldManager=x`, `{"unknown":[${many}]}`, 'application/apply-patch+yaml'),
      await send(`DELETE ${collection}/a`, `{"unknown":[${many}]}`),
      await send('POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', `{"unknown":[${many}]}`),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(413);
      expect(text).toContain('the body has more than 250000 fields and items');
    }
    const containers = [{ name: 'c', image: 'registry.example/c:1', args: [`\\"${',[{'.repeat(300_000)}`] }];
    const text = JSON.stringify({ template: { spec: { containers } } });
    expect((await send(`PATCH ${collection}/a`, text, merging)).status).toBe(200);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
const longText = `data:\n  a: &a "${'x'.repeat(1_000_000)}"\n`;

test.each([
  {
    name: 'very many small values',
    body: `${yaml}a: [${'a: ,'.repeat(700_000)}]`,
    code: 413,
    why: 'more than 250000 fields and items',
  },
  { name: 'very many documents', body: '---\n'.repeat(700_000), code: 413, why: 'more than 250000 fields and items' },
  {
    name: 'a list of lists by aliases',
    body: `${yaml}a: &a [${empty(50_000)}]\nb: [${'*a,'.repeat(50)}]`,
    code: 400,
    why: 'aliases expand to',
  },
  {
    name: 'a long text by aliases',
    body: `${yaml}${longText}b: [${'*a,'.repeat(400)}]`,
    code: 400,
    why: 'aliases expand to',
  },
])('a body of YAML is bounded while it is read: $name', async ({ body, code, why }) => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-filled-'));
  try {
    await using server = await startServer(folder, ['env', 'NODE_OPTIONS=--max-old-space-size=256']);
    const configMaps = '/api/v1/namespaces/default/configmaps';
    const requests = [
      ['POST', configMaps, 'application/yaml'],
      ['PATCH', `${configMaps}/a?fieldManager=x`, 'application/apply-patch+yaml'],
      ['DELETE', `${configMaps}/a`, 'application/yaml'],
      ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'application/yaml'],
    ] as const;
    for (const [method, path, type] of requests) {
      const { status, text } = await server.connection.ask({ method, path, headers: { 'content-type': type }, body });
      expect(status).toBe(code);
      expect(text).toContain(why);
    }
    expect((await create(server, 'other')).status).toBe(201);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
