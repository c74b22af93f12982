import { promisify } from 'node:util';
import { crc32, deflateRawSync, gzip } from 'node:zlib';

const compress = promisify(gzip);
const memberBytes = 1024 * 1024;
const membersAtATime = 4;
const sampleBytes = 4 * 1024;
/** To try costs as much as to do it. */
const smallBytes = 64 * 1024;
/** Content is written once and read a few times: fast beats small. */
const fastLevel = 1;

/** RFC 1952, 2.3: deflate, no flags, no time, level and system unset. */
const memberHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** RFC 1951, 3.2.4. */
const maxStoredBlockBytes = 65_535;

/** Compressing what is compressed already costs most and gains nothing. */
function isCompressible(bytes: Buffer): boolean {
  if (bytes.length <= smallBytes) return true;
  const sample = bytes.subarray(bytes.length >> 1, (bytes.length >> 1) + sampleBytes);
  return deflateRawSync(sample, { level: fastLevel }).length <= sample.length * 0.95;
}

/** A member that holds the bytes as they are, in stored blocks; they are not copied. */
function storedMember(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [memberHeader];
  for (let start = 0; start < bytes.length; start += maxStoredBlockBytes) {
    const block = bytes.subarray(start, start + maxStoredBlockBytes);
    const header = Buffer.alloc(5);
    header[0] = start + block.length === bytes.length ? 1 : 0;
    header.writeUInt16LE(block.length, 1);
    header.writeUInt16LE(~block.length & 0xffff, 3);
    pieces.push(header, block);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length, 4);
  return [...pieces, trailer];
}

async function compressedMember(bytes: Buffer): Promise<Buffer[]> {
  return [await compress(bytes, { level: fastLevel })];
}

/** One piece is not copied. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
}

async function* batches(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < memberBytes) continue;
    yield joined(waiting);
    waiting = [];
    waitingBytes = 0;
  }
  if (waitingBytes > 0) yield joined(waiting);
}

/** Compresses a stream as a gzip file of several members (RFC 1952, 2.2), which every reader takes for one; members are made by
 *  several threads at a time, and keep their order. Memory: a few MiB. */
export async function* gzipMembers(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const running: Promise<Buffer[]>[] = [];
  try {
    for await (const bytes of batches(chunks)) {
      running.push(isCompressible(bytes) ? compressedMember(bytes) : Promise.resolve(storedMember(bytes)));
      if (running.length >= membersAtATime) yield* (await running.shift()) ?? [];
    }
    for (const member of running.splice(0)) yield* await member;
  } finally {
    await Promise.allSettled(running);
  }
}
