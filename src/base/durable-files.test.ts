import { chmod, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFile, syncFile, writeSecretFile } from './durable-files.ts';

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

test('a secret is for its owner alone, though others could read, or have open, what was there', async () => {
  const path = join(dir, 'kubeconfig');
  await writeFile(path, 'of before');
  await chmod(path, 0o666);
  await using opened = await open(path, 'r');
  await writeSecretFile(path, 'secret');
  expect(await readFile(path, 'utf8')).toBe('secret');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await opened.readFile('utf8')).toBe('of before');
  expect(await readdir(dir)).toEqual(['kubeconfig']);
});

test('a secret that is there already is left alone, unless others may read it', async () => {
  const path = join(dir, 'kubeconfig');
  await writeSecretFile(path, 'secret');
  const { ino } = await stat(path);
  await writeSecretFile(path, 'secret');
  expect((await stat(path)).ino).toBe(ino);
  await chmod(path, 0o640);
  await writeSecretFile(path, 'secret');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a link to a secret remains one', async () => {
  await symlink(join(dir, 'target'), join(dir, 'link'));
  await writeFile(join(dir, 'target'), 'of before');
  await writeSecretFile(join(dir, 'link'), 'secret');
  expect(await readFile(join(dir, 'target'), 'utf8')).toBe('secret');
});

test('a secret that cannot be written is named, and nothing of it remains', async () => {
  await expect(writeSecretFile(join(dir, 'absent', 'kubeconfig'), 'secret')).rejects.toMatchObject({
    reason: 'FileNotWritten',
    message: `${join(dir, 'absent', 'kubeconfig')}: no such file or directory: it is left as it was`,
  });
  await expect(writeSecretFile(dir, 'secret')).rejects.toThrow('illegal operation on a directory');
  expect(await readdir(dir)).toEqual([]);
});
