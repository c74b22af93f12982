import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer } from '../conformance/connection.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { canHaveSmallDisks, onSmallDisk } from './small-disk.ts';

const collection = '/api/v1/namespaces/default/configmaps';

const isPossible = await canHaveSmallDisks();

function put(server: ServerProcess, name: string, bytes: number): Promise<Answer> {
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { filling: 'x'.repeat(bytes) },
  });
  const headers = { 'content-type': 'application/json' };
  return server.connection.ask({ method: 'POST', path: collection, headers, body });
}

async function namesOn(server: ServerProcess): Promise<string[]> {
  const { body } = await server.connection.ask({ method: 'GET', path: collection, headers: {} });
  const { items } = body as unknown as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('fill-'));
}

test.skipIf(!isPossible)('refuses writes clearly when the disk is full, goes on reading, and recovers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-full-'));
  try {
    const disk = onSmallDisk(folder, { mebibytes: 12, ballastMebibytes: 6 });
    await using server = await startServer(folder, disk);
    const stored: string[] = [];
    let refused: Answer | undefined;
    for (let turn = 0; turn < 100 && refused === undefined; turn += 1) {
      const answer = await put(server, `fill-${turn}`, 200_000);
      if (answer.status === 201) stored.push(`fill-${turn}`);
      else refused = answer;
    }
    expect(refused?.status).toBe(507);
    expect(refused?.body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      message: expect.stringMatching(/objects\.sqlite: the disk is full: nothing was written/) as string,
    });
    expect(stored.length).toBeGreaterThan(3);
    expect((await namesOn(server)).sort()).toEqual([...stored].sort());
    expect((await put(server, 'fill-again', 200_000)).status).toBe(507);
    await server.tell(`free ${join(folder, 'ballast')}`);
    expect((await put(server, 'fill-after', 200_000)).status).toBe(201);
    expect((await namesOn(server)).sort()).toEqual([...stored, 'fill-after'].sort());
    expect(server.hasEnded).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
