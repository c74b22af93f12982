import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '../src/base/index.ts';
import { eventually, SteppedClock } from '../test/support/index.ts';
import { mirrorUploads, type UploadMirrorOptions } from './upload-mirror.ts';

const stack: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of stack.splice(0).toReversed()) await end();
});

interface Mirror {
  readonly clock: SteppedClock;
  readonly uploads: string;
  readonly asked: string[];
  /** What is under a name, once it was asked for. */
  kept(): Promise<string[]>;
}

async function startMirror(
  options: { readonly names: () => readonly string[] } & Pick<UploadMirrorOptions, 'open'>,
): Promise<Mirror> {
  const storeDir = await mkdtemp(join(tmpdir(), 'longshore-mirror-'));
  stack.push(() => rm(storeDir, { recursive: true, force: true }));
  const stop = new AbortController();
  const clock = new SteppedClock(0);
  const asked: string[] = [];
  const ended = mirrorUploads({
    storeDir,
    bundles: () => options.names().map((name) => ({ name, uid: `uid-${name}` })),
    open: async (name, signal) => {
      asked.push(name);
      return await options.open(name, signal);
    },
    unpacker: { makeRoom: () => Promise.resolve() },
    maxUploadBytes: 100,
    clock,
    log: silentLogger(),
    signal: stop.signal,
  });
  stack.push(async () => {
    stop.abort();
    await ended;
  });
  const uploads = join(storeDir, 'uploads');
  return { clock, uploads, asked, kept: () => readdir(uploads) };
}

function upload(text: string, sizeBytes = text.length): { body: Readable; sizeBytes: number } {
  return { body: Readable.from([Buffer.from(text)]), sizeBytes };
}

test('uploads are copied once, and go with their Bundles', async () => {
  const names = new Set(['a', 'b']);
  const mirror = await startMirror({ names: () => [...names], open: (name) => Promise.resolve(upload(`of ${name}`)) });
  await eventually(async () => expect((await mirror.kept()).toSorted()).toEqual(['a_uid-a.tgz', 'b_uid-b.tgz']));
  expect(await readFile(join(mirror.uploads, 'a_uid-a.tgz'), 'utf8')).toBe('of a');
  names.delete('b');
  await eventually(async () => {
    await mirror.clock.pass(10_000);
    expect(await mirror.kept()).toEqual(['a_uid-a.tgz']);
  });
  expect(mirror.asked.toSorted()).toEqual(['a', 'b']);
});

test.each([
  { name: 'cut off', open: () => Promise.resolve(upload('half', 8)) },
  { name: 'larger than an upload may be', open: () => Promise.resolve(upload('x'.repeat(101))) },
  { name: 'not there', open: () => Promise.resolve(undefined) },
  { name: 'not to be had', open: () => Promise.reject(new Error('no route')) },
])('what is $name is not kept, and asked for again', async ({ open }) => {
  const mirror = await startMirror({ names: () => ['a'], open });
  await eventually(async () => {
    await mirror.clock.pass(10_000);
    expect(mirror.asked.length).toBeGreaterThan(2);
  });
  expect(await mirror.kept()).toEqual([]);
});
