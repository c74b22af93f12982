import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { isDiskFull } from '../../src/base/index.ts';

const mostBytes = 8 * 1024 * 1024;
/** Of the room that a small disk has. */
const share = 4;
const chunkBytes = 256 * 1024;

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** File systems that compress would give zeros no room. */
function fill(file: number, bytes: number): void {
  const chunk = randomFillSync(Buffer.alloc(chunkBytes));
  for (let done = 0; done < bytes; ) done += writeSync(file, chunk, 0, Math.min(chunkBytes, bytes - done));
}

/** Room on a disk that is occupied until the disk is full, so that objects can be deleted then. What the disk refuses meanwhile is no error: the room is
 *  occupied later. */
export class DiskReserve {
  readonly #folder: string;
  readonly #path: string;
  readonly #bytes: number;
  #isHeld = false;

  /** A file that an earlier process has left is taken over. */
  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#path = `${folder}/${name}`;
    const left = sizeOf(this.#path);
    this.#bytes = Math.min(mostBytes, Math.max(left, Math.floor((left + this.#roomBytes()) / share)));
    this.#isHeld = left >= this.#bytes;
  }

  /** Occupies the room again if the disk has it; returns whether it is occupied. */
  hold(): boolean {
    if (!this.#isHeld && this.#roomBytes() >= this.#bytes) this.#isHeld = this.#occupy();
    return this.#isHeld;
  }

  /** The file stays: a full disk may have no room for another one. */
  release(): void {
    this.#isHeld = false;
    try {
      truncateSync(this.#path);
    } catch {
      // There is none, or it cannot be written to.
    }
  }

  /** Whether the disk refuses so many more bytes, as it also does where a quota is exhausted, of which it shows nothing otherwise. */
  refuses(bytes: number): boolean {
    const left = sizeOf(this.#path);
    try {
      const file = openSync(this.#path, 'a', 0o600);
      try {
        fill(file, bytes);
        return false;
      } finally {
        closeSync(file);
        truncateSync(this.#path, left);
      }
    } catch (thrown) {
      return isDiskFull(thrown);
    }
  }

  #roomBytes(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#folder);
      return bavail * bsize;
    } catch {
      return 0;
    }
  }

  #occupy(): boolean {
    try {
      const file = openSync(this.#path, 'w', 0o600);
      try {
        fill(file, this.#bytes);
      } finally {
        closeSync(file);
      }
      return true;
    } catch {
      this.release();
      return false;
    }
  }
}
