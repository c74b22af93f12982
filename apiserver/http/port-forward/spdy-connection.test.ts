import { Duplex } from 'node:stream';
import { createDeflate } from 'node:zlib';
import { expect, test } from 'vitest';
import { SpdyConnection } from './spdy-connection.ts';
import { controlFrame, frameTypes, words } from './spdy-frames.ts';
import { spdyDictionary } from './spdy-headers.ts';

const count = 1_000;

/** A client that sends these frames, and reads nothing of what it is answered. */
class DeafClient extends Duplex {
  readonly #frames: Iterator<Buffer>;

  constructor(frames: Iterable<Buffer>) {
    super({ writableHighWaterMark: 1024 });
    this.#frames = frames[Symbol.iterator]();
  }

  override _read(): void {
    const next = this.#frames.next();
    this.push(next.done === true ? null : next.value);
  }

  override _write(): void {
    // Never done.
  }
}

/** Header blocks of one connection, which share a compressor: those of `count` streams. */
async function headerBlocks(): Promise<readonly Buffer[]> {
  const deflate = createDeflate({ dictionary: spdyDictionary });
  const blocks: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    deflate.write(words(0));
    await new Promise<void>((resolve) => {
      deflate.flush(() => resolve());
    });
    blocks.push(deflate.read() as Buffer);
  }
  return blocks;
}

function* pings(): Iterable<Buffer> {
  const payload = Buffer.alloc(16 * 1024);
  payload.writeUInt32BE(1);
  for (let index = 0; index < count; index += 1) yield controlFrame(frameTypes.ping, payload);
}

/** Streams that are refused or, where they are reset at once, accepted. */
async function streams(areReset: boolean): Promise<Iterable<Buffer>> {
  const blocks = await headerBlocks();
  return blocks.flatMap((block, index) => {
    const id = 2 * index + 1;
    const open = controlFrame(frameTypes.synStream, Buffer.concat([words(id, 0), Buffer.alloc(2), block]));
    return areReset ? [open, controlFrame(frameTypes.rstStream, words(id, 5))] : [open];
  });
}

const floods: readonly (readonly [string, () => Promise<Iterable<Buffer>>])[] = [
  ['pings', () => Promise.resolve(pings())],
  ['streams that are refused', () => streams(false)],
  ['streams that are accepted and reset', () => streams(true)],
];

test.each(floods)('what %s cause does not pile up before a client that reads nothing', async (_name, frames) => {
  const client = new DeafClient(await frames());
  const connection = new SpdyConnection(client, {
    maxStreams: 1,
    idleMs: 60_000,
    accepts: () => true,
    onStream: () => {},
  });
  const run = connection.run();
  await expect.poll(() => client.writableNeedDrain).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(client.writableLength).toBeLessThan(2048);
  client.destroy();
  await run;
});
