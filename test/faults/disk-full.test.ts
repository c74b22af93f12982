import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Answer } from '../conformance/connection.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const run = promisify(execFile);
const collection = '/api/v1/namespaces/default/configmaps';

/** A file system of 12 MiB that only the server sees, with 6 MiB of ballast in it: real, small, and no root is needed for it. */
const mounting = [
  'unshare',
  '--map-root-user',
  '--user',
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs -o size=12m small "$3" && head -c 6291456 /dev/zero > "$3/ballast" && exec "$1" "$2" "$3"',
  'sh',
];

async function canMount(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-mount-'));
  try {
    const [program = '', ...args] = mounting;
    await run(program, [...args, 'true', 'true', folder]);
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const isPossible = await canMount();

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
    await using server = await startServer(folder, mounting);
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
