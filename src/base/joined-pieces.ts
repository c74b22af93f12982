import { Readable } from 'node:stream';

/** So many pieces are joined: what is held of them together is small beside a few hundred bytes for each. */
const piecesAtATime = 1024;

/** Bytes that arrive in pieces. Each takes some hundred bytes of memory, and who sends them decides how small they are, so that they are joined on the way. */
export class JoinedPieces {
  readonly #joined: Buffer[] = [];
  #pieces: Buffer[] = [];
  #sizeBytes = 0;

  /** Of all pieces. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  add(piece: Buffer): void {
    this.#sizeBytes += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < piecesAtATime) return;
    this.#joined.push(Buffer.concat(this.#pieces));
    this.#pieces = [];
  }

  /** All that has arrived. */
  join(): Buffer {
    return Buffer.concat([...this.#joined, ...this.#pieces], this.#sizeBytes);
  }
}

/** Reads a stream as a whole, at most `maxBytes`.
 *  @throws what `tooLarge` makes · what the stream fails with */
export async function joinStream(stream: Readable, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  const pieces = new JoinedPieces();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  stream.on('error', reject);
  stream.on('data', (piece: Buffer) => {
    pieces.add(piece);
    if (pieces.sizeBytes > maxBytes) stream.destroy(tooLarge());
  });
  stream.on('end', () => resolve(pieces.join()));
  return await promise;
}

async function* joinedPieces(stream: Readable): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) {
    pieces.push(piece);
    if (pieces.length < piecesAtATime) continue;
    yield Buffer.concat(pieces);
    pieces = [];
  }
  if (pieces.length > 0) yield Buffer.concat(pieces);
}

/** The same bytes in fewer pieces, for a reader that holds each of them until all have arrived. */
export function inFewPieces(stream: Readable): Readable {
  return Readable.from(joinedPieces(stream), { objectMode: false });
}
