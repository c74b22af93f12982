import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

// A gzip stream may be put together from parts that were compressed each by itself, if none of them ends the stream and each ends at
// a whole byte: what is stored compressed is sent as it is, whatever is chosen of it.

/** A third of the time of the usual one, for a tenth more bytes. */
const level = 4;
const polynomial = 0xedb88320;
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty block that ends the stream. */
const lastBlock = [3, 0];

/** A text, compressed so that segments one after another are one stream; alone it is no whole one. */
export interface Segment {
  readonly bytes: Uint8Array;
  readonly lengthBytes: number;
  /** CRC-32 of the text. */
  readonly checksum: number;
}

/** Compresses a text by itself. */
export function compressSegment(text: Uint8Array): Segment {
  const bytes = deflateRawSync(text, { level, finishFlush: constants.Z_SYNC_FLUSH });
  return { bytes, lengthBytes: text.length, checksum: crc32(text) };
}

/** The text of a segment; undefined when it is not what was compressed. */
export function expandSegment({ bytes, lengthBytes, checksum }: Segment): Buffer | undefined {
  let text: Buffer;
  try {
    // Room for all of it in one piece, of its own, so that it can be released, and a little to see that it is all.
    const [chunkSize, maxOutputLength] = [Math.max(lengthBytes + 64, Buffer.poolSize + 1), lengthBytes + 1];
    text = inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize, maxOutputLength });
  } catch {
    return undefined;
  }
  return text.length === lengthBytes && crc32(text) === checksum ? text : undefined;
}

/** What stands before the segments of a gzip stream. */
export function gzipHeader(): Uint8Array {
  return Uint8Array.from(header);
}

/** What stands behind them: `checksum` and `lengthBytes` are of all texts together. */
export function gzipTrailer(checksum: number, lengthBytes: number): Uint8Array {
  const trailer = Buffer.alloc(lastBlock.length + 8);
  trailer.set(lastBlock);
  trailer.writeUInt32LE(checksum >>> 0, lastBlock.length);
  trailer.writeUInt32LE(lengthBytes % 2 ** 32, lastBlock.length + 4);
  return trailer;
}

/** The product of two polynomials over GF(2), bits reflected, modulo that of CRC-32. */
function multiply(a: number, b: number): number {
  let [product, factor] = [0, b];
  for (let bit = 31; bit >= 0; bit -= 1) {
    if (((a >>> bit) & 1) === 1) product ^= factor;
    factor = (factor & 1) === 1 ? (factor >>> 1) ^ polynomial : factor >>> 1;
  }
  return product;
}

/** x to the power of 8 × 2 to the n. */
const powers: number[] = [1 << 23];

function powerOf(exponent: number): number {
  for (let last = powers.length; last <= exponent; last += 1) {
    const before = powers[last - 1] ?? 0;
    powers.push(multiply(before, before));
  }
  return powers[exponent] ?? 0;
}

/** The CRC-32 of two texts one after another, from those of each and the length of the second. */
export function joinChecksums(first: number, second: number, secondLengthBytes: number): number {
  let shifted = first;
  for (let [rest, exponent] = [secondLengthBytes, 0]; rest > 0; exponent += 1) {
    if (rest % 2 === 1) shifted = multiply(powerOf(exponent), shifted);
    rest = Math.floor(rest / 2);
  }
  return (shifted ^ second) >>> 0;
}
