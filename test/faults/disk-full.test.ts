/** @module-tag long */
import { execFile } from 'node:child_process';
import { mkdtemp, mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { systemClock } from '../../src/base/index.ts';
import type { Answer } from '../conformance/connection.ts';
import { eventually } from '../support/index.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { canHaveSmallDisks, onSmallDisk, openSmallDisk } from './small-disk.ts';

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

test.skipIf(!isPossible)(
  'refuses writes with a clear message when the disk is full, continues to read, and recovers',
  async () => {
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
      await server.send(`free ${join(folder, 'ballast')}`);
      expect((await put(server, 'fill-after', 200_000)).status).toBe(201);
      expect((await namesOn(server)).sort()).toEqual([...stored, 'fill-after'].sort());
      expect(server.hasEnded).toBe(false);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

const json = { 'content-type': 'application/json' };
const merging = { 'content-type': 'application/merge-patch+json' };

/** Creates objects until the disk has no room for a small one. */
async function fillUp(server: ServerProcess, prefix: string): Promise<string[]> {
  const stored: string[] = [];
  for (const bytes of [400_000, 40_000, 1000]) {
    for (let isFull = false; !isFull; ) {
      const name = `${prefix}-${stored.length}`;
      isFull = (await put(server, name, bytes)).status === 507;
      if (!isFull) stored.push(name);
    }
  }
  return stored;
}

async function statusOf(server: ServerProcess, method: string, path: string): Promise<number> {
  return (await server.connection.ask({ method, path, headers: json })).status;
}

test.skipIf(!isPossible)('a disk that users fill with objects takes deletions, and then new objects', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-full-'));
  try {
    await using server = await startServer(folder, onSmallDisk(folder, { mebibytes: 16, ballastMebibytes: 1 }));
    const create = async (path: string, object: object): Promise<number> =>
      (await server.connection.ask({ method: 'POST', path, headers: json, body: JSON.stringify(object) })).status;
    await create('/api/v1/namespaces', { metadata: { name: 'leaving' } });
    await create('/api/v1/namespaces/leaving/secrets', { metadata: { name: 'in-it' } });
    await create(collection, { metadata: { name: 'held', finalizers: ['example.com/held'] } });
    for (const round of ['one', 'two']) {
      const stored = await fillUp(server, `fill-${round}`);
      expect(stored.length).toBeGreaterThan(3);
      for (const name of stored) expect(await statusOf(server, 'DELETE', `${collection}/${name}`)).toBe(200);
    }
    await fillUp(server, 'fill-last');
    expect(await statusOf(server, 'DELETE', `${collection}/held`)).toBe(200);
    const body = JSON.stringify({ metadata: { finalizers: null } });
    const request = { method: 'PATCH', path: `${collection}/held`, headers: merging, body };
    expect((await server.connection.ask(request)).status).toBe(200);
    expect(await statusOf(server, 'GET', `${collection}/held`)).toBe(404);
    expect(await statusOf(server, 'DELETE', '/api/v1/namespaces/leaving')).toBe(200);
    await eventually(async () => {
      expect(await statusOf(server, 'GET', '/api/v1/namespaces/leaving')).toBe(404);
    });
    expect(server.hasEnded).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.skipIf(!isPossible)(
  'a start on a full disk, which has no room for new certificates, goes on with those of half a year ago',
  async () => {
    await using older = await mkdtempDisposable(join(tmpdir(), 'longshore-older-'));
    const clock = { ...systemClock, now: () => systemClock.now() - 200 * 86_400_000 };
    await (await startApiServer({ dataDir: older.path, clock, simulation: false })).stop();
    await using disk = await openSmallDisk(48);
    const [program = '', ...args] = disk.inside;
    const dataDir = join(disk.path, 'data');
    await promisify(execFile)(program, [...args, 'cp', '-r', older.path, dataDir]);
    await disk.fill();
    await using server = await startServer(dataDir, disk.inside);
    expect(await statusOf(server, 'GET', collection)).toBe(200);
  },
);

/** A program that opens the store of a data folder. */
const opening = `import { openSqliteJournal } from ${JSON.stringify(join(process.cwd(), 'apiserver/storage/index.ts'))};
  await openSqliteJournal(process.argv[1]).catch(({ message }) => console.log(message));`;

test.skipIf(!isPossible).each([
  {
    name: 'is too small',
    options: 'size=16k',
    text: 'the disk is full (nothing is lost; make room on it, or start with another data folder)',
  },
  {
    name: 'is read-only',
    options: 'ro',
    text: 'read-only file system (it is left as it is; make it writable, or start with another data folder)',
  },
])('a data folder on a disk that $name is refused with what to do about the disk', async ({ options, text }) => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-disk-'));
  try {
    const mount = `mount -t tmpfs -o ${options} small "$1" && exec "$2" --input-type=module --eval "$3" "$1"`;
    const args = ['--map-root-user', '--user', '--mount', 'sh', '-c', mount, 'sh', folder, process.execPath, opening];
    const { stdout } = await promisify(execFile)('unshare', args);
    expect(stdout).toBe(`${join(folder, 'objects.sqlite')}: ${text}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
