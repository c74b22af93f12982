import { randomBytes } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileProblem, TerminalError } from './errors.ts';

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
  /** Makes what the content stands for last, at the same time: the file is replaced afterwards. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** Replaces the content of a file: it has the old content or the new one, whenever the process or the machine ends. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { temporaryPath, mode = 0o600, meanwhile }: ReplaceFileOptions,
): Promise<void> {
  {
    await using handle = await open(temporaryPath, 'w', mode);
    await handle.writeFile(content);
    await Promise.all([handle.sync(), meanwhile?.()]);
  }
  await rename(temporaryPath, path);
  await syncDirectory(dirname(path));
}

const othersMode = 0o077;

/** Whether a file has the content, and this user alone may read it. */
async function isWritten(path: string, content: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  const isOwn = facts?.uid === process.getuid?.() && ((facts?.mode ?? othersMode) & othersMode) === 0;
  return isOwn && (await readFile(path, 'utf8').catch(() => undefined)) === content;
}

/** What a path leads to, whether or not it exists. */
async function targetOf(path: string): Promise<{ readonly path: string; readonly isReplaced: boolean }> {
  try {
    const target = await realpath(path);
    return { path: target, isReplaced: (await stat(target)).isFile() };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return { path, isReplaced: true };
    throw thrown;
  }
}

/** Writes a file that only this user may read, though others could read, or had open, what was there before. It has the old content or the new one; one that
 *  has the new one already is left alone, as a full disk has no room for it twice. What is no file, like a terminal or a pipe, is written to.
 *  @throws TerminalError FileNotWritten, naming the path */
export async function writeSecretFile(path: string, content: string): Promise<void> {
  try {
    const target = await targetOf(path);
    if (!target.isReplaced) return await writeFile(target.path, content);
    if (await isWritten(target.path, content)) return;
    const temporaryPath = `${target.path}.${randomBytes(8).toString('hex')}.tmp`;
    try {
      await replaceFile(target.path, content, { temporaryPath });
    } catch (thrown) {
      await rm(temporaryPath, { force: true });
      throw thrown;
    }
  } catch (thrown) {
    throw new TerminalError('FileNotWritten', `${path}: ${fileProblem(thrown)}: it is left as it was`, {
      cause: thrown,
    });
  }
}
