import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../apiserver/core/index.ts';
import { startApiServer } from '../../apiserver/index.ts';
import { Connection } from '../conformance/connection.ts';
import { startServer } from './server-process.ts';

const templates = '/api/v1/namespaces/default/podtemplates';
const type = 'application/merge-patch+json';
const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Creates an object of 2.5 MB; gives its version. */
async function create(connection: Connection, name = 'a'): Promise<string> {
  const containers = [{ name: 'c', image: 'registry.example/c:1', args: ['x'.repeat(2_500_000)] }];
  const body = JSON.stringify({ metadata: { name }, template: { spec: { containers } } });
  const headers = { 'content-type': 'application/json' };
  const answer = await connection.ask({ method: 'POST', path: templates, headers, body });
  expect(answer.status).toBe(201);
  return (answer.body as unknown as KubeObject).metadata.resourceVersion ?? '';
}

/** Changes a few characters of the object a; gives its version. */
async function change(connection: Connection, turn: number): Promise<string> {
  const headers = { 'content-type': type, accept };
  const body = JSON.stringify({ metadata: { annotations: { turn: String(turn) } } });
  const answer = await connection.ask({ method: 'PATCH', path: `${templates}/a`, headers, body });
  expect(answer.status).toBe(200);
  return (answer.body as unknown as KubeObject).metadata.resourceVersion ?? '';
}

test('of a watch that begins at an older version nothing is held for a client that does not read', async () => {
  await using server = await startApiServer({ simulation: false });
  using connection = new Connection(server.kubeconfig);
  const version = await create(connection);
  const unread = 10;
  for (let turn = 0; turn < unread; turn += 1) await change(connection, turn);
  const session = connect(server.url, { ca: server.caCertificatePem });
  try {
    const path = `${templates}?watch=true&resourceVersion=${version}`;
    const stream = session.request({ ':path': path, authorization: `Bearer ${server.adminToken}` });
    await once(stream, 'response');
    // More than is remembered of former states.
    for (let turn = unread; turn < unread + 50; turn += 1) await change(connection, turn);
    let events = 0;
    let last = '';
    for await (const piece of stream.setEncoding('utf8')) {
      events += String(piece).split('\n').length - 1;
      last = (last + String(piece)).slice(-1000);
    }
    expect(events).toBeLessThan(unread / 2);
    expect(last).toContain('"code":410');
  } finally {
    session.destroy();
  }
});

test.each([
  ['watches that begin at an older version', (version: string) => `?watch=true&resourceVersion=${version}`],
  ['watches', () => '?watch=true'],
  ['lists', () => ''],
])(
  'former states do not fill a small heap for clients that do not read their %s',
  {
    tags: 'long',
  },
  async (_what, queryAt) => {
    const folder = await mkdtemp(join(tmpdir(), 'longshore-unread-'));
    try {
      await using server = await startServer(folder, ['env', 'NODE_OPTIONS=--max-old-space-size=160']);
      const { connection } = server;
      const versions = [await create(connection)];
      // As large together that a list, or what a watch begins with, is not sent unless it is read.
      for (const name of ['b', 'c', 'd', 'e']) await create(connection, name);
      for (let turn = 0; turn < 70; turn += 1) {
        versions.push(await change(connection, turn));
        const query = queryAt(versions.at(-4) ?? '0');
        const unread = await connection.open({ method: 'GET', path: `${templates}${query}`, headers: {} });
        unread.on('error', () => {});
      }
      expect(server.hasEnded).toBe(false);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
