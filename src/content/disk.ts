import { readdir, rm, stat, unlink } from 'node:fs/promises';
import { isDiskFull, TransientError } from '../base/index.ts';

const smallestPieceBytes = 4 * 1024;
const largestPieceBytes = 256 * 1024;

/** Whether `thrown` means that a file does not exist. */
export function isNotFound(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Adds advice to the error of a full disk; returns any other error unchanged. */
export function explainFullDisk(thrown: unknown, folder: string): unknown {
  if (!isDiskFull(thrown)) return thrown;
  const text = `the disk of the content store ${folder} is full: nothing was stored; free some space: the write is retried`;
  return new TransientError('StoreFull', text, { cause: thrown });
}

/** Takes a file away; one that is not there is no error. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

/** In which pieces to read what has `sizeBytes`: room that stays empty costs as much as room that is used. */
export function pieceBytesOf(sizeBytes: number): number {
  return Math.min(largestPieceBytes, Math.max(smallestPieceBytes, sizeBytes));
}

/** Removes what a directory holds, except what `isRetained` names. */
export async function sweepDirectory(path: string, isRetained: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(path)) {
    if (!isRetained(name)) await rm(`${path}/${name}`, { recursive: true, force: true });
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
