/** @module-tag long */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/index.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const objectBytes = 500_000;
const writes = 200;
const watchers = 4;
const mebibyte = 1024 * 1024;

function body(turn: number): string {
  const data = { filling: String(turn % 10).repeat(objectBytes) };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data });
}

async function send(server: ServerProcess, method: string, turn: number): Promise<void> {
  const path = method === 'POST' ? collection : `${collection}/big`;
  const headers = { 'content-type': 'application/json' };
  const { status } = await server.connection.ask({ method, path, headers, body: body(turn) });
  if (status >= 400) throw new Error(`${method}: ${status}`);
}

test('disconnects watchers that never read, instead of buffering their events', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-slow-'));
  try {
    await using server = await startServer(folder);
    await send(server, 'POST', 0);
    const path = `${collection}?watch=true`;
    const open = Array.from({ length: watchers }, () => server.connection.open({ method: 'GET', path, headers: {} }));
    const stalled = await Promise.all(open);
    // Cut off is cut off: the connection is reset.
    for (const response of stalled) response.on('error', () => {});
    for (let turn = 1; turn <= writes; turn += 1) await send(server, 'PUT', turn);
    // 200 events of half a megabyte for each watcher are 400 MiB; what the server keeps are at most 8 MiB for each, and its history once.
    await eventually(async () => expect((await server.residentBytes()) / mebibyte).toBeLessThan(800));
    const ends = stalled.map(async (response) => {
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      if (!response.closed) await new Promise<void>((resolve) => response.once('close', resolve));
      return size;
    });
    const sizes = await Promise.all(ends);
    for (const size of sizes) expect(size).toBeLessThan((writes * objectBytes) / 2);
    await eventually(async () => expect((await server.residentBytes()) / mebibyte).toBeLessThan(800));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
