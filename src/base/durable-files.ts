import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the content of a file last through a power cut. */
export async function syncFile(path: string): Promise<void> {
  await using handle = await open(path, 'r+');
  await handle.sync();
}

/** Makes renames and links in a directory last through a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

export interface ReplaceFileOptions {
  /** On the same file system. */
  readonly temporaryPath: string;
  /** Default: only this user may read it. */
  readonly mode?: number;
}

/** Replaces the content of a file: it has the old content or the new one, whenever the process or the machine ends. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { temporaryPath, mode = 0o600 }: ReplaceFileOptions,
): Promise<void> {
  {
    await using handle = await open(temporaryPath, 'w', mode);
    await handle.writeFile(content);
    await handle.sync();
  }
  await rename(temporaryPath, path);
  await syncDirectory(dirname(path));
}
