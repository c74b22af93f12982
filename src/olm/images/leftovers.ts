import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileRoom } from '../../base/index.ts';

/** Of one store, in all folders that no work is using. */
const mostBytes = 1024 ** 3;

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  let sizeBytes = 0;
  for (const name of names) {
    const facts = await stat(join(folder, name)).catch(() => undefined);
    if (facts?.isFile() === true) sizeBytes += fileRoom(facts.size);
  }
  return sizeBytes;
}

/** What failed work leaves on the disk for its next attempt, such as layers of an image: within a limit for all work together, of which there may be very
 *  much; what was left first is removed first. */
export class Leftovers {
  readonly #maxBytes: number;
  /** Sizes by folder, the oldest first. */
  readonly #sizes = new Map<string, number>();

  /** 1 GiB is the limit, or `maxBytes` where that is less. */
  constructor(maxBytes: number = mostBytes) {
    this.#maxBytes = Math.min(maxBytes, mostBytes);
  }

  /** The folder is in use: nothing of it is removed. */
  claim(folder: string): void {
    this.#sizes.delete(folder);
  }

  /** The work in a folder has ended, and may be tried again. */
  async leave(folder: string): Promise<void> {
    const leftBytes = await sizeOf(folder);
    this.#sizes.delete(folder);
    if (leftBytes === 0) await rm(folder, { recursive: true, force: true });
    else this.#sizes.set(folder, leftBytes);
    let totalBytes = [...this.#sizes.values()].reduce((sum, sizeBytes) => sum + sizeBytes, 0);
    for (const [oldest, sizeBytes] of this.#sizes) {
      if (totalBytes <= this.#maxBytes) return;
      this.#sizes.delete(oldest);
      await rm(oldest, { recursive: true, force: true });
      totalBytes -= sizeBytes;
    }
  }
}
