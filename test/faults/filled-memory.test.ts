import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ServerProcess, startServer } from './server-process.ts';

const collection = '/api/v1/namespaces/default/podtemplates';
const headers = { 'content-type': 'application/json' };
const filling = 'x'.repeat(2_500_000);
const heap = ['env', 'NODE_OPTIONS=--max-old-space-size=160'];
/** Far more than its heap has room for. */
const most = 150;

async function create(
  server: ServerProcess,
  name: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const template = { spec: { containers: [{ name: 'c', image: 'registry.example/c:1', args: [filling] }] } };
  const object = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name }, template };
  return await server.connection.ask({ method: 'POST', path: collection, headers, body: JSON.stringify(object) });
}

async function fill(server: ServerProcess): Promise<{ readonly stored: number; readonly text: string }> {
  for (let stored = 0; stored < most; stored += 1) {
    const { status, text } = await create(server, `big-${stored}`);
    if (status !== 201) return { stored, text };
  }
  return { stored: most, text: '' };
}

test('a server that a user fills with objects refuses more, serves what it has, and starts again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-filled-'));
  try {
    const first = await startServer(folder, heap);
    const { stored, text } = await fill(first);
    expect(text).toContain('"reason":"InsufficientStorage"');
    expect(text).toContain('etcdserver: mvcc: database space exceeded: the objects of this server have');
    await first.kill();

    await using second = await startServer(folder, heap);
    const list = await second.connection.ask({ method: 'GET', path: `${collection}?limit=500`, headers });
    expect((list.body as unknown as { items: unknown[] }).items.length).toBeGreaterThanOrEqual(stored);
    expect((await create(second, 'more')).status).toBe(507);
    const gone = await second.connection.ask({ method: 'DELETE', path: `${collection}/big-0`, headers });
    expect(gone.status).toBe(200);
    expect((await create(second, 'more')).status).toBe(201);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
