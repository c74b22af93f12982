import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiskReserve } from './disk-reserve.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reserve-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the file of the reserve stays while its room is used: a full disk may have none for another file', async () => {
  const path = join(folder, 'reserve');
  const reserve = new DiskReserve(folder, 'reserve');
  expect(reserve.hold()).toBe(true);
  const { ino, size } = await stat(path);
  expect(size).toBeGreaterThan(0);
  reserve.release();
  expect(await stat(path)).toMatchObject({ ino, size: 0 });
  expect(reserve.hold()).toBe(true);
  expect(await stat(path)).toMatchObject({ ino, size });
});

test.each([
  { name: 'cannot be written', prepare: () => mkdir(join(folder, 'reserve')) },
  { name: 'has no folder any more', prepare: () => rm(folder, { recursive: true }) },
])('a reserve that $name is not held, which ends nothing', async ({ prepare }) => {
  const reserve = new DiskReserve(folder, 'reserve');
  await prepare();
  expect(reserve.hold()).toBe(false);
  expect(() => reserve.release()).not.toThrow();
});
