import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';

const mostBytes = 8 * 1024 * 1024;
/** Of the room that a small disk has. */
const share = 4;
const chunkBytes = 256 * 1024;

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Room on a disk that is occupied until the disk is full, so that objects can be deleted then. */
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

  release(): void {
    this.#isHeld = false;
    rmSync(this.#path, { force: true });
  }

  #roomBytes(): number {
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize;
  }

  /** File systems that compress would give zeros no room. */
  #occupy(): boolean {
    const chunk = randomFillSync(Buffer.alloc(chunkBytes));
    const file = openSync(this.#path, 'w', 0o600);
    try {
      for (let done = 0; done < this.#bytes; )
        done += writeSync(file, chunk, 0, Math.min(chunkBytes, this.#bytes - done));
      return true;
    } catch {
      rmSync(this.#path, { force: true });
      return false;
    } finally {
      closeSync(file);
    }
  }
}
