import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { type TakeTurn, turnTaker } from '../../src/base/index.ts';

/** A body that is made while it is sent: its parts are put together in order, and made one after the other. */
export interface BodyPieces {
  readonly pieces: Iterable<string | Uint8Array>;
}

/** What follows the status line and the headers of an answer. */
export type ReplyBody = string | Buffer | BodyPieces;

const chunkBytes = 512 * 1024;

/** Small pieces together: each write costs a system call. A piece may take long to make, and be small. */
async function* chunksOf({ pieces }: BodyPieces, turn: TakeTurn): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    const added = typeof piece === 'string' ? Buffer.from(piece) : piece;
    waiting.push(added);
    bytes += added.length;
    await turn();
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}

async function* resumed(first: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield Buffer.alloc(0);
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** A body of at most `maxBytes` as a whole; a larger one as it is made, which has to be returned. */
export async function wholeOrChunks(
  body: BodyPieces,
  maxBytes: number,
  turn: TakeTurn = turnTaker(),
): Promise<Buffer | AsyncGenerator<Buffer>> {
  const chunks = chunksOf(body, turn);
  const first: Buffer[] = [];
  let bytes = 0;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    first.push(next.value);
    bytes += next.value.length;
    if (bytes <= maxBytes) continue;
    const all = resumed(first, chunks);
    // Only a generator that has been started lets go of what it holds when it is returned.
    await all.next();
    return all;
  }
  return Buffer.concat(first, bytes);
}

/** The bytes of a body, however they are made; at once. */
export function wholeBody(body: ReplyBody | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.concat(Array.from(body.pieces, (piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/** Chunks as gzip, no faster than they are taken. */
export async function* compressed(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: chunkBytes });
  // An error of the chunks reaches the one who takes them.
  const made = pipeline(Readable.from(chunks), gzip).catch(() => {});
  try {
    for await (const chunk of gzip as AsyncIterable<Buffer>) yield chunk;
  } finally {
    await made;
    await chunks.return(undefined);
  }
}
