import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { TerminalError, TransientError } from '../../base/index.ts';
import { removeFile } from '../../content/index.ts';
import type { ObjectFormat } from './object-format.ts';

export const packHeaderBytes = 12;
/** Header of one byte and the smallest zlib stream. */
const minEntryBytes = 9;
/** The table of a pack takes about 60 bytes an object. */
const maxObjects = 1_000_000;
/** Of each pack that is fetched, for as long as its server likes. */
const bufferBytes = 128 * 1024;

export interface PackFileOptions {
  readonly path: string;
  readonly format: ObjectFormat;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called before bytes are written; what it throws ends the writing. */
  readonly onBytes?: ((sizeBytes: number) => void) | undefined;
}

/** How many objects a pack claims to hold.
 *  @throws TransientError TransferBroken · TerminalError UnsupportedRepository, TooManyObjects
 *  @see gitformat-pack(5) */
export function readObjectCount(header: Buffer): number {
  if (header.length < packHeaderBytes || header.toString('latin1', 0, 4) !== 'PACK') {
    throw new TransientError('TransferBroken', 'expected a pack of git objects, got something else');
  }
  const version = header.readUInt32BE(4);
  if (version !== 2 && version !== 3)
    throw new TerminalError('UnsupportedRepository', `pack version ${version}: expected 2 or 3`);
  const count = header.readUInt32BE(8);
  if (count <= maxObjects) return count;
  throw new TerminalError(
    'TooManyObjects',
    `the repository sends ${count} objects, more than the limit of ${maxObjects}`,
  );
}

/** Checks that so many objects fit into so many bytes, before memory is reserved for them. */
function assertCountFits(count: number, packBytes: number): void {
  if (count * minEntryBytes <= packBytes) return;
  throw new TerminalError('InvalidPack', `the pack claims to hold ${count} objects in ${packBytes} bytes`);
}

/** Hashes all but the last bytes, which are the checksum. */
class Checksum {
  readonly #hash;
  readonly #oidBytes: number;
  #tail = Buffer.alloc(0);

  constructor({ algorithm, oidBytes }: ObjectFormat) {
    this.#hash = createHash(algorithm);
    this.#oidBytes = oidBytes;
  }

  update(piece: Buffer): void {
    if (piece.length >= this.#oidBytes) {
      this.#hash.update(this.#tail).update(piece.subarray(0, piece.length - this.#oidBytes));
      this.#tail = Buffer.from(piece.subarray(piece.length - this.#oidBytes));
      return;
    }
    const joined = Buffer.concat([this.#tail, piece]);
    const end = Math.max(0, joined.length - this.#oidBytes);
    this.#hash.update(joined.subarray(0, end));
    this.#tail = Buffer.from(joined.subarray(end));
  }

  isGood(): boolean {
    return this.#hash.digest().equals(this.#tail);
  }
}

/** Gathers pieces of any size, single bytes included, in one buffer. */
class BufferedFile {
  readonly #handle: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #filled = 0;
  sizeBytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async append(piece: Buffer): Promise<void> {
    for (let done = 0; done < piece.length; ) {
      const copied = piece.copy(this.#buffer, this.#filled, done);
      done += copied;
      this.#filled += copied;
      this.sizeBytes += copied;
      if (this.#filled === bufferBytes) await this.flush();
    }
  }

  async flush(): Promise<void> {
    for (let done = 0; done < this.#filled; ) {
      done += (await this.#handle.write(this.#buffer, done, this.#filled - done)).bytesWritten;
    }
    this.#filled = 0;
  }
}

async function write(pieces: AsyncIterable<Buffer>, options: PackFileOptions): Promise<void> {
  const { path, format, maxBytes, signal } = options;
  await using handle = await open(path, 'wx', 0o600);
  const file = new BufferedFile(handle);
  const checksum = new Checksum(format);
  let head = Buffer.alloc(0);
  for await (const piece of pieces) {
    signal.throwIfAborted();
    if (head.length < packHeaderBytes) {
      head = Buffer.concat([head, piece.subarray(0, packHeaderBytes - head.length)]);
      if (head.length === packHeaderBytes) readObjectCount(head);
    }
    if (file.sizeBytes + piece.length > maxBytes) {
      throw new TerminalError('BodyTooLarge', `the pack is larger than the limit of ${maxBytes} bytes`);
    }
    checksum.update(piece);
    options.onBytes?.(piece.length);
    await file.append(piece);
  }
  await file.flush();
  assertCountFits(readObjectCount(head), file.sizeBytes);
  if (!checksum.isGood()) throw new TransientError('TransferBroken', 'the pack does not have the checksum at its end');
}

/** Writes a pack into a new file while it arrives, and checks its header, size and checksum; nothing stays when that fails.
 *  @throws TransientError TransferBroken · TerminalError BodyTooLarge, TooManyObjects, InvalidPack, UnsupportedRepository */
export async function writePack(pieces: AsyncIterable<Buffer>, options: PackFileOptions): Promise<void> {
  try {
    await write(pieces, options);
  } catch (thrown) {
    await removeFile(options.path);
    throw thrown;
  }
}
