import { open, readdir, rename, rm, stat } from 'node:fs/promises';

/** Whether `thrown` says that a file is not there. */
export function isNotFound(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Makes renames and links in a directory last through a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Replaces a file whole or not at all; `temporaryPath` is on the same file system. */
export async function writeFileAtomically(path: string, temporaryPath: string, text: string): Promise<void> {
  const handle = await open(temporaryPath, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporaryPath, path);
}

/** Removes what a directory holds, except what `isKept` names. */
export async function sweepDirectory(path: string, isKept: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(path)) {
    if (!isKept(name)) await rm(`${path}/${name}`, { recursive: true, force: true });
  }
}

/** The size of a file, undefined when it is not there. */
export async function fileSizeBytes(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}
