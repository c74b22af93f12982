import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { SharedRoom, TerminalError, TransientError } from '../base/index.ts';
import { pieceBytesOf } from './disk.ts';
import { cutZstdFrames } from './zstd-frames.ts';

/** What is compressed is seldom more times as large uncompressed. */
const usualGrowth = 16;

/** As much as the decoder of zstd takes for one stream: the largest window that it accepts. */
const maxWindowBytes = 128 * 1024 * 1024;

/** Reason of an error about an archive whose window is larger than the limit. */
export const windowTooLarge = 'WindowTooLarge';

function windowEnded(heldBytes: number): TransientError {
  const text = `archives that are decompressed at the same time take more than the limit of ${maxWindowBytes} bytes of memory together: this one, which had ${heldBytes} bytes for the longest time, makes room for others`;
  return new TransientError('ArchivesTooLarge', text);
}

function windowBeyond(limitBytes: number): TransientError {
  const text = `the archive takes more than the limit of ${limitBytes} bytes of memory while it is decompressed`;
  return new TransientError(windowTooLarge, text);
}

/** What the decoders of zstd of a thread have in memory, outside of its heap: archives decide how much that is, and a small one may ask for all of it. */
const windows = new SharedRoom({ maxBytes: maxWindowBytes, endedError: windowEnded });

/** By which formats are recognized. */
const magicBytes = 4;

/** Whether bytes begin as gzip does. */
export function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** Whether bytes begin as zstd does: with a frame, or with one to be skipped. */
function isZstd(start: Buffer): boolean {
  if (start.length < magicBytes) return false;
  const magic = start.readUInt32LE(0);
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50;
}

/** Refuses what is still compressed after it was decompressed: the parser of tar would do that once more by itself, past all limits. */
export class PlainTarCheck {
  #start = Buffer.alloc(0);

  /** @throws TerminalError InvalidArchive */
  see(what: string, piece: Buffer): void {
    if (this.#start.length >= magicBytes) return;
    // A stream may begin with pieces of one byte.
    this.#start = Buffer.concat([this.#start, piece.subarray(0, magicBytes)]);
    if (isGzip(this.#start) || isZstd(this.#start))
      throw new TerminalError('InvalidArchive', `${what}: compressed twice`);
  }
}

const tarMagicOffset = 257;

/** Whether the first 512 bytes of a file are those of an archive that `extractArchive` takes. */
export function isArchiveStart(start: Buffer): boolean {
  const tarMagic = start.subarray(tarMagicOffset, tarMagicOffset + 5).toString('latin1');
  return isGzip(start) || isZstd(start) || tarMagic === 'ustar';
}

async function* startingWith(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** Counts what the decoder has of the pieces: of all frames, as much as the largest window. */
async function* counting(
  pieces: AsyncIterable<Buffer>,
  windowBytes: () => number,
  take: (sizeBytes: number) => void,
): AsyncGenerator<Buffer> {
  let seenBytes = 0;
  let heldBytes = 0;
  for await (const piece of pieces) {
    seenBytes += piece.length;
    const growth = Math.min(seenBytes, windowBytes()) - heldBytes;
    heldBytes += growth;
    if (growth > 0) take(growth);
    yield piece;
  }
}

interface Opened {
  readonly readable: Readable;
  readonly decoder: Transform | undefined;
  /** Of zstd, the largest so far. */
  readonly windowBytes: () => number;
}

async function open(pieces: AsyncIterator<Buffer>): Promise<Opened> {
  let start = Buffer.alloc(0);
  while (start.length < magicBytes) {
    const result = await pieces.next();
    if (result.done === true) break;
    start = Buffer.concat([start, result.value]);
  }
  const whole = startingWith(start, pieces);
  // Of a small source the first piece is all.
  const chunkSize = pieceBytesOf(start.length * usualGrowth);
  if (isZstd(start)) {
    let windowBytes = 0;
    const frames = cutZstdFrames(whole, (sizeBytes) => {
      windowBytes = Math.max(windowBytes, sizeBytes);
    });
    // In object mode pieces stay as they are cut.
    const readable = Readable.from(frames, { objectMode: true, highWaterMark: 2 });
    return { readable, decoder: createZstdDecompress({ chunkSize }), windowBytes: () => windowBytes };
  }
  const readable = Readable.from(whole, { objectMode: false, highWaterMark: chunkSize });
  return { readable, decoder: isGzip(start) ? createGunzip({ chunkSize }) : undefined, windowBytes: () => 0 };
}

/** How an archive is decompressed. */
interface DecompressOptions {
  readonly signal?: AbortSignal | undefined;
  /** As `ContentLimits.windowBytes`. */
  readonly windowBytes?: number | undefined;
}

/** Hands `source` to `read` uncompressed: gzip and zstd are known by their first bytes, anything else passes unchanged. Zeros behind gzip data are
 *  padding: the source is read to its end all the same, so that its digest can be checked. Memory is bounded by the codecs' windows,
 *  all of a thread together: one that takes much of it may have to make room for others. The source is closed in every case.
 *  @throws what `read`, the source or a codec throws · TransientError ArchivesTooLarge, WindowTooLarge */
export async function decompress(
  source: AsyncIterable<Buffer>,
  read: (chunks: AsyncIterable<Buffer>) => Promise<void>,
  options: DecompressOptions = {},
): Promise<void> {
  const pieces = source[Symbol.asyncIterator]();
  try {
    await readAll(pieces, read, options);
  } finally {
    // A file that is not read to its end would stay open. A source that is still being waited for is closed once it answers.
    void pieces.return?.().catch(() => undefined);
  }
}

async function readAll(
  pieces: AsyncIterator<Buffer>,
  read: (chunks: AsyncIterable<Buffer>) => Promise<void>,
  { signal, windowBytes: limitBytes = maxWindowBytes }: DecompressOptions,
): Promise<void> {
  const { readable, decoder, windowBytes } = await open(pieces);
  const stop = new AbortController();
  using share = windows.share((error) => stop.abort(error));
  const options = { signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]) };
  let heldBytes = 0;
  const take = (sizeBytes: number): void => {
    heldBytes += sizeBytes;
    if (heldBytes > limitBytes) throw windowBeyond(limitBytes);
    share.take(sizeBytes);
  };
  const readCounted = (chunks: AsyncIterable<Buffer>): Promise<void> => read(counting(chunks, windowBytes, take));
  try {
    if (decoder === undefined) await pipeline(readable, read, options);
    else await pipeline(readable, decoder, readCounted, options);
  } catch (thrown) {
    stop.signal.throwIfAborted();
    // A decoder that has emitted everything accepts no more input; its early close is not a failure then.
    const isClosed = (thrown as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isClosed || decoder?.readableEnded !== true) throw thrown;
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) signal?.throwIfAborted();
  }
}

/** Whether an error was a codec's complaint about its input. */
export function isCodecError(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false;
  const { code } = thrown as NodeJS.ErrnoException;
  return code !== undefined && /^(Z_|ZSTD_|ERR_ZLIB|ERR_ZSTD)/.test(code);
}
