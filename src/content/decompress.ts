import { Readable, type Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';

const outputChunkBytes = 256 * 1024;

function decoderFor(start: Buffer): Transform | undefined {
  if (start.length >= 2 && start[0] === 0x1f && start[1] === 0x8b) return createGunzip({ chunkSize: outputChunkBytes });
  if (start.length >= 4 && start.readUInt32LE(0) === 0xfd2fb528)
    return createZstdDecompress({ chunkSize: outputChunkBytes });
  return undefined;
}

async function* startingWith(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** The streams that turn `source` into uncompressed bytes, to be joined with `pipeline`: gzip and zstd are known by their first
 *  bytes, anything else passes unchanged. Memory is bounded by the codecs' windows. */
export async function decompressing(source: AsyncIterable<Buffer>): Promise<{
  readonly readable: Readable;
  readonly decoder: Transform | undefined;
}> {
  const pieces = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < 4) {
    const result = await pieces.next();
    if (result.done === true) break;
    start = Buffer.concat([start, result.value]);
  }
  const readable = Readable.from(startingWith(start, pieces), { objectMode: false, highWaterMark: outputChunkBytes });
  return { readable, decoder: decoderFor(start) };
}

/** Whether an error was a codec's complaint about its input. */
export function isCodecError(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false;
  const { code } = thrown as NodeJS.ErrnoException;
  return code !== undefined && /^(Z_|ZSTD_|ERR_ZLIB|ERR_ZSTD)/.test(code);
}
