import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Makes a folder and its parents where they are missing. Unlike the recursive `mkdir` of Node.js, it ends where the parent exists and the file system
 *  still answers ENOENT, as /proc does.
 *  @throws the error of the file system */
export function makeFolder(path: string, mode = 0o777): void {
  const folder = resolve(path);
  try {
    mkdirSync(folder, { mode });
  } catch (thrown) {
    if (isFolder(folder)) return;
    const parent = dirname(folder);
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(parent)) throw thrown;
    makeFolder(parent, mode);
    if (!isFolder(folder)) mkdirSync(folder, { mode });
  }
}
