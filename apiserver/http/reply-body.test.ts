import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressed, wholeBody, wholeOrChunks } from './reply-body.ts';

const piece = 'é'.repeat(100_000);

/** Counts what was made, and notes when it is not asked for more. */
class Pieces {
  made = 0;
  isOver = false;
  readonly count: number;

  constructor(count: number) {
    this.count = count;
  }

  *[Symbol.iterator](): Generator<string> {
    try {
      for (; this.made < this.count; this.made += 1) yield piece;
    } finally {
      this.isOver = true;
    }
  }
}

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  return (await bytesOf(chunks)).toString();
}

test('a small body is made as a whole', async () => {
  const body = await wholeOrChunks({ pieces: ['a', Buffer.from('b'), ''] }, 2);
  expect(body).toEqual(Buffer.from('ab'));
  expect(await wholeOrChunks({ pieces: [] }, 2)).toEqual(Buffer.alloc(0));
});

test('a large one is made while it is taken, nothing of it left out', async () => {
  const pieces = new Pieces(50);
  const chunks = await wholeOrChunks({ pieces }, 1_000_000);
  if (Buffer.isBuffer(chunks)) throw new Error('made as a whole');
  expect(pieces.made).toBeLessThan(8);
  expect(await textOf(chunks)).toBe(piece.repeat(50));
  expect(wholeBody({ pieces: new Pieces(50) }).toString()).toBe(piece.repeat(50));
});

test('what is not taken any more is not made', async () => {
  const pieces = new Pieces(50);
  const chunks = await wholeOrChunks({ pieces }, 1_000_000);
  if (Buffer.isBuffer(chunks)) throw new Error('made as a whole');
  await chunks.return(undefined);
  expect([pieces.isOver, pieces.made < 8]).toEqual([true, true]);
});

test('chunks are compressed while they are taken, and an error reaches who takes them', async () => {
  const chunks = await wholeOrChunks({ pieces: new Pieces(50) }, 0);
  if (Buffer.isBuffer(chunks)) throw new Error('made as a whole');
  expect(gunzipSync(await bytesOf(compressed(chunks))).toString()).toBe(piece.repeat(50));
  const broken = (async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(piece);
    throw new Error('broken');
  })();
  await expect(compressed(broken).next()).rejects.toThrow('broken');
});

test('compressed chunks that are not taken any more are not made', async () => {
  const pieces = new Pieces(5_000);
  const chunks = await wholeOrChunks({ pieces }, 0);
  if (Buffer.isBuffer(chunks)) throw new Error('made as a whole');
  for await (const _chunk of compressed(chunks)) break;
  expect([pieces.isOver, pieces.made < 5_000]).toEqual([true, true]);
});
