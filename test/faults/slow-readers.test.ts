/** @module-tag long */
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/index.ts';
import { startServer } from './server-process.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const objectBytes = 500_000;
const objects = 40;
const readers = 60;
const mebibyte = 1024 * 1024;

function body(turn: number): string {
  const data = { filling: String(turn % 10).repeat(objectBytes) };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `big-${turn}` }, data });
}

test('lists of 20 MB that sixty clients ask for and never read do not stay in memory; others get theirs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-readers-'));
  try {
    await using server = await startServer(folder);
    const headers = { 'content-type': 'application/json' };
    for (let turn = 0; turn < objects; turn += 1) {
      const { status } = await server.connection.ask({ method: 'POST', path: collection, headers, body: body(turn) });
      expect(status).toBe(201);
    }
    const unread = Array.from({ length: readers }, () =>
      server.connection.open({ method: 'GET', path: collection, headers: {} }),
    );
    // Some are cut off before their headers arrive.
    const open = (await Promise.allSettled(unread)).flatMap((one): IncomingMessage[] =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    for (const response of open) response.on('error', () => {});
    // Kept, they are 3.6 GB.
    await eventually(async () => expect((await server.residentBytes()) / mebibyte).toBeLessThan(2300));
    const { status, body: list } = await server.connection.ask({ method: 'GET', path: collection, headers: {} });
    expect(status).toBe(200);
    const { items } = list as unknown as { items: unknown[] };
    expect(items.length).toBeGreaterThanOrEqual(objects);
    for (const response of open) response.destroy();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
