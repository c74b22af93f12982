import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Uploads, uploadPath } from './uploads.ts';

let dir: string;
let uploads: Uploads;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-uploads-'));
  uploads = await Uploads.open(join(dir, 'uploads'), join(dir, 'temporary'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function keep(name: string, uid: string): Promise<void> {
  const body = Readable.from([Buffer.from(`of ${uid}`)]);
  const received = await uploads.receive(body, { maxBytes: 100, signal: new AbortController().signal });
  await uploads.keep({ name, uid }, received);
}

test('what was uploaded for a Bundle is not there for another Bundle of its name', async () => {
  await keep('app', 'uid-1');
  expect(await uploads.has({ name: 'app', uid: 'uid-1' })).toBe(true);
  expect(await uploads.has({ name: 'app', uid: 'uid-2' })).toBe(false);
  expect(await uploads.digestOf({ name: 'app', uid: 'uid-2' })).toBeUndefined();
});

test('uploads of all Bundles of a name are removed, and those of others are not', async () => {
  for (const [name, uid] of [
    ['app', '1'],
    ['app', '2'],
    ['app-2', '3'],
  ] as const)
    await keep(name, uid);
  await uploads.remove('app');
  expect(await readdir(join(dir, 'uploads'))).toEqual(['app-2_3.tgz']);
  await uploads.sweep(({ uid }) => uid !== '3');
  expect(await readdir(join(dir, 'uploads'))).toEqual([]);
});

test.each([
  { name: '../app', uid: '1' },
  { name: 'app_1', uid: '1' },
  { name: 'app', uid: '../1' },
  { name: 'app', uid: '' },
])('a name or uid that is none never becomes a path: $name, $uid', (target) => {
  expect(() => uploadPath('/uploads', target)).toThrow(expect.objectContaining({ reason: 'InvalidName' }));
});
