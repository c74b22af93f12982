import { promisify } from 'node:util';
import { deflateRawSync, gzip } from 'node:zlib';

const compress = promisify(gzip);
const memberBytes = 1024 * 1024;
const membersAtATime = 4;
const sampleBytes = 16 * 1024;
/** Content is written once and read a few times: fast beats small. */
const fastLevel = 1;

/** Compressing what is compressed already costs most and gains nothing. */
function levelFor(bytes: Buffer): number {
  const sample = bytes.subarray(bytes.length >> 1, (bytes.length >> 1) + sampleBytes);
  return deflateRawSync(sample, { level: fastLevel }).length > sample.length * 0.95 ? 0 : fastLevel;
}

async function* batches(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < memberBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
  }
  if (waitingBytes > 0) yield Buffer.concat(waiting);
}

/** Compresses a stream as a gzip file of several members (RFC 1952, 2.2), which every reader takes for one; members are made by
 *  several threads at a time, and keep their order. Memory: a few MiB. */
export async function* gzipMembers(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const running: Promise<Buffer>[] = [];
  try {
    for await (const bytes of batches(chunks)) {
      running.push(compress(bytes, { level: levelFor(bytes) }));
      if (running.length >= membersAtATime) yield (await running.shift()) ?? Buffer.alloc(0);
    }
    for (const member of running.splice(0)) yield await member;
  } finally {
    await Promise.allSettled(running);
  }
}
