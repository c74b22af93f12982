import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

interface MirrorSituation extends Pick<UploadMirrorOptions, 'open'> {
  /** Of the Bundles that are unpacked. */
  readonly names: () => readonly string[];
  /** Of those that are not. */
  readonly waiting?: () => readonly string[];
  /** What an earlier process has left. */
  readonly left?: Readonly<Record<string, string>>;
}

async function startMirror({ waiting = () => [], left = {}, ...options }: MirrorSituation): Promise<Mirror> {
  const storeDir = await mkdtemp(join(tmpdir(), 'longshore-mirror-'));
  stack.push(() => rm(storeDir, { recursive: true, force: true }));
  await mkdir(join(storeDir, 'uploads'));
  for (const [file, text] of Object.entries(left)) await writeFile(join(storeDir, 'uploads', file), text);
  const stop = new AbortController();
  const clock = new SteppedClock(0);
  const asked: string[] = [];
  const ended = mirrorUploads({
    storeDir,
    bundles: () => options.names().map((name) => ({ name, uid: `uid-${name}` })),
    isOwned: ({ name, uid }) => uid === `uid-${name}` && [...options.names(), ...waiting()].includes(name),
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

test('an upload that this process took while it led stays for a Bundle that is not unpacked', async () => {
  const waiting = new Set(['a', 'b']);
  const mirror = await startMirror({
    names: () => ['c'],
    waiting: () => [...waiting],
    left: { 'a_uid-a.tgz': 'the only copy', 'a_uid-of-before.tgz': 'of another Bundle', 'b_uid-b.tgz': 'of b' },
    open: (name) => Promise.resolve(upload(`of ${name}`)),
  });
  await eventually(async () =>
    expect((await mirror.kept()).toSorted()).toEqual(['a_uid-a.tgz', 'b_uid-b.tgz', 'c_uid-c.tgz']),
  );
  expect(await readFile(join(mirror.uploads, 'a_uid-a.tgz'), 'utf8')).toBe('the only copy');
  waiting.delete('b');
  await eventually(async () => {
    await mirror.clock.pass(10_000);
    expect((await mirror.kept()).toSorted()).toEqual(['a_uid-a.tgz', 'c_uid-c.tgz']);
  });
  expect(mirror.asked).toEqual(['c']);
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
