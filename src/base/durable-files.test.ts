import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFile, syncFile } from './durable-files.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-durable-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test('a file is replaced as a whole, for its owner alone, and leaves nothing else behind', async () => {
  const path = join(dir, 'current.json');
  await replaceFile(path, 'a long first text', { temporaryPath: join(dir, 'unfinished') });
  await replaceFile(path, 'second', { temporaryPath: join(dir, 'unfinished') });
  await syncFile(path);
  expect(await readFile(path, 'utf8')).toBe('second');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dir)).toEqual(['current.json']);
});

test('a file that cannot be replaced is as it was', async () => {
  const path = join(dir, 'current.json');
  await replaceFile(path, 'first', { temporaryPath: join(dir, 'unfinished') });
  await expect(replaceFile(path, 'second', { temporaryPath: join(dir, 'missing', 'unfinished') })).rejects.toThrow(
    'ENOENT',
  );
  expect(await readFile(path, 'utf8')).toBe('first');
});
