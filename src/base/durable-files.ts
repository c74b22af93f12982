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

/** Replaces the content of a file: it has the old content or the new one, whenever the process or the machine ends. `temporaryPath` is on the same file system. */
export async function replaceFile(path: string, content: string | Uint8Array, temporaryPath: string): Promise<void> {
  {
    await using handle = await open(temporaryPath, 'w', 0o600);
    await handle.writeFile(content);
    await handle.sync();
  }
  await rename(temporaryPath, path);
  await syncDirectory(dirname(path));
}
