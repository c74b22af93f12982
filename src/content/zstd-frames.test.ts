import { createHash, randomBytes } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decompress, isCodecError } from './decompress.ts';
import { cutZstdFrames } from './zstd-frames.ts';

function skippable(sizeBytes: number, index = 0): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50 + index, 0);
  head.writeUInt32LE(sizeBytes, 4);
  return Buffer.concat([head, Buffer.alloc(sizeBytes, 7)]);
}

function* inPieces(bytes: Buffer, pieceBytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function* source(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  yield* inPieces(bytes, pieceBytes);
}

async function decompressed(bytes: Buffer, pieceBytes = 65_536): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await decompress(source(bytes, pieceBytes), async (chunks) => {
    for await (const chunk of chunks) pieces.push(chunk);
  });
  return Buffer.concat(pieces);
}

const checksummed = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const one = Buffer.alloc(100_000, 'one ');
/** Of several blocks. */
const two = randomBytes(300_000);

describe('a zstd stream is read to its end', () => {
  test.each([
    { name: 'one frame', parts: [zstdCompressSync(one)], expected: one },
    { name: 'two frames', parts: [zstdCompressSync(one), zstdCompressSync(two)], expected: Buffer.concat([one, two]) },
    {
      name: 'frames with checksums',
      parts: [zstdCompressSync(one, checksummed), zstdCompressSync(two, checksummed)],
      expected: Buffer.concat([one, two]),
    },
    { name: 'a skippable frame first', parts: [skippable(9), zstdCompressSync(one)], expected: one },
    {
      name: 'skippable frames everywhere',
      parts: [
        skippable(0),
        zstdCompressSync(one),
        skippable(9, 3),
        skippable(70_000, 15),
        zstdCompressSync(two),
        skippable(3),
      ],
      expected: Buffer.concat([one, two]),
    },
    { name: 'empty frames', parts: [zstdCompressSync(''), zstdCompressSync(one), zstdCompressSync('')], expected: one },
  ])('of $name', async ({ parts, expected }) => {
    const bytes = Buffer.concat(parts);
    for (const pieceBytes of [65_536, 1_000, 97]) {
      expect((await decompressed(bytes, pieceBytes)).equals(expected)).toBe(true);
    }
  });

  test('of a thousand frames, as tools write that make one frame a file', async () => {
    const parts = Array.from({ length: 1_000 }, (_, index) => Buffer.from(`file ${index}\n`.repeat(20)));
    const expected = createHash('sha256').update(Buffer.concat(parts)).digest('hex');
    const got = await decompressed(Buffer.concat(parts.map((part) => zstdCompressSync(part))));
    expect(createHash('sha256').update(got).digest('hex')).toBe(expected);
  });

  test('of any frames in any pieces', async () => {
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ bytes, frame: zstdCompressSync(bytes) })),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ bytes, frame: zstdCompressSync(bytes, checksummed) })),
      fc.nat(40).map((size) => ({ bytes: new Uint8Array(), frame: skippable(size) })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 400 }),
        async (parts, pieceBytes) => {
          const bytes = Buffer.concat([zstdCompressSync('x'), ...parts.map(({ frame }) => frame)]);
          const expected = Buffer.concat([Buffer.from('x'), ...parts.map((each) => each.bytes)]);
          expect((await decompressed(bytes, pieceBytes)).equals(expected)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a zstd stream is refused that', () => {
  const frame = zstdCompressSync(two, checksummed);
  test.each([
    { name: 'ends within a block', bytes: frame.subarray(0, -100) },
    { name: 'ends within the checksum', bytes: frame.subarray(0, -1) },
    { name: 'ends within its header', bytes: frame.subarray(0, 5) },
    { name: 'ends within a second frame', bytes: Buffer.concat([frame, frame.subarray(0, 3)]) },
    { name: 'ends within a skippable frame', bytes: Buffer.concat([frame, skippable(9).subarray(0, -1)]) },
    { name: 'goes on with something else', bytes: Buffer.concat([frame, Buffer.from('something else')]) },
    {
      name: 'was changed',
      bytes: frame.map((byte, index) => (index === frame.length - 2 ? byte ^ 1 : byte)) as Buffer,
    },
  ])('$name', async ({ bytes }) => {
    const thrown: unknown = await decompressed(Buffer.from(bytes)).catch((error: unknown) => error);
    expect(isCodecError(thrown)).toBe(true);
  });
});

test('very many frames are refused, with or without content', { tags: 'long' }, async () => {
  const first = zstdCompressSync(Buffer.from('x'));
  for (const frame of [zstdCompressSync(''), Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0])]) {
    const bytes = Buffer.concat([first, Buffer.alloc(250_000 * frame.length, frame)]);
    const read = async (): Promise<void> => {
      for await (const _ of cutZstdFrames(source(bytes, 65_536), () => undefined));
    };
    await expect(read()).rejects.toThrow('more than the limit of 250000 frames');
  }
});

/** A frame of zeros that names its window as a power of two, in blocks of one repeated byte. */
function zeros(mebibytes: number, windowLog: number): Buffer {
  const blocks = Array.from({ length: mebibytes * 8 }, (_, index) => {
    const block = Buffer.alloc(4);
    const isLast = index === mebibytes * 8 - 1;
    block.writeUIntLE((131_072 << 3) | (1 << 1) | Number(isLast), 0, 3);
    return block;
  });
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3]), ...blocks]);
}

async function windowsOf(bytes: Buffer): Promise<number[]> {
  const found: number[] = [];
  for await (const _ of cutZstdFrames(source(bytes, 7), (sizeBytes) => found.push(sizeBytes)));
  return found;
}

test('the windows of frames are known from their headers', async () => {
  const ofOneSegment = [1, 100_000, 70_000_000].map((sizeBytes) => zstdCompressSync(Buffer.alloc(sizeBytes)));
  await expect(windowsOf(Buffer.concat(ofOneSegment))).resolves.toEqual([1, 100_000, 2 * 1024 ** 2]);
  await expect(windowsOf(Buffer.concat([zeros(1, 20), zeros(1, 27)]))).resolves.toEqual([2 ** 20, 2 ** 27]);
  const withEighths = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (10 << 3) | 3, 1, 0, 0]);
  await expect(windowsOf(withEighths)).resolves.toEqual([2 ** 20 + 3 * 2 ** 17]);
});

test('archives whose windows take much memory make room for others', { tags: 'long' }, async () => {
  const gate = Promise.withResolvers<undefined>();
  const reached = Promise.withResolvers<undefined>();
  const held = decompress(source(zeros(120, 27), 65_536), async (chunks) => {
    let sizeBytes = 0;
    for await (const { length } of chunks) {
      sizeBytes += length;
      if (sizeBytes < 100 * 1024 ** 2) continue;
      reached.resolve(undefined);
      await gate.promise;
    }
  });
  const refused = expect(held).rejects.toMatchObject({ name: 'TransientError', reason: 'ArchivesTooLarge' });
  await reached.promise;
  // Of a small window nothing more is in memory, however long the stream is.
  await expect(decompressed(zeros(64, 20))).resolves.toHaveLength(64 * 1024 ** 2);
  await expect(decompressed(zeros(64, 27))).resolves.toHaveLength(64 * 1024 ** 2);
  gate.resolve(undefined);
  await refused;
  await expect(decompressed(zeros(120, 27))).resolves.toHaveLength(120 * 1024 ** 2);
});

test('an archive that takes more memory than its limit is left, whatever window it asks for', async () => {
  const drain = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const _ of chunks);
  };
  const options = { windowBytes: 8 * 1024 ** 2 };
  await expect(decompress(source(zeros(16, 27), 65_536), drain, options)).rejects.toMatchObject({
    name: 'TransientError',
    reason: 'WindowTooLarge',
  });
  await expect(decompress(source(zeros(4, 27), 65_536), drain, options)).resolves.toBeUndefined();
  await expect(decompress(source(zeros(16, 20), 65_536), drain, options)).resolves.toBeUndefined();
});
