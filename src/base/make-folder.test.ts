import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'longshore-folders-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a folder is made with its parents and its mode, and left as it is where it exists', () => {
  const path = join(root, 'a/b/c');
  for (const _time of [1, 2]) makeFolder(path, 0o700);
  for (const made of [path, join(root, 'a')]) expect(statSync(made).mode & 0o777).toBe(0o700);
});

test.runIf(process.platform === 'linux').each(['/proc/x', '/proc/x/y/z', '/proc/self/x'])(
  '%s ends with an error, although its file system reports a missing parent',
  (path) => {
    expect(() => makeFolder(path)).toThrow(/ENOENT/);
  },
);

test('below a file, and at a link that leads nowhere, it ends with an error', () => {
  const [file, link] = [join(root, 'file'), join(root, 'link')];
  writeFileSync(file, '');
  symlinkSync(join(root, 'missing/folder'), link);
  for (const path of [file, join(file, 'below'), link, join(link, 'below')]) expect(() => makeFolder(path)).toThrow();
});
