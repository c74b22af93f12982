import { inflateRawSync, inflateSync } from 'node:zlib';
import { errorMessage } from '../base/index.ts';

/** A part of an OpenPGP message. */
export interface Packet {
  readonly tag: number;
  readonly body: Buffer;
}

/** A signed message, taken apart. */
export interface SignedParts {
  /** What was signed. */
  readonly content: Buffer;
  /** Bodies of the signature packets behind it. */
  readonly signatures: readonly Buffer[];
}

/** Packet types. @see RFC 9580, section 5 */
const tags = { signature: 2, onePassSignature: 4, compressed: 8, literal: 11 } as const;
const encryptedTags: ReadonlySet<number> = new Set([1, 3, 9, 18, 20]);
const maxDecompressedBytes = 256 * 1024;
const maxNestedMessages = 2;
const maxSignatures = 16;

/** Reads bytes one after another.
 *  @throws Error for what ends too early */
class Bytes {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get leftBytes(): number {
    return this.#bytes.length - this.#at;
  }

  take(count: number): Buffer {
    if (count > this.leftBytes) throw new Error('it ends in the middle of a packet');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  number(count: number): number {
    return this.take(count).readUIntBE(0, count);
  }
}

/** A body in the current format, which may come in pieces. */
function takeBody(bytes: Bytes): Buffer {
  const pieces: Buffer[] = [];
  for (;;) {
    const first = bytes.number(1);
    if (first < 192) return Buffer.concat([...pieces, bytes.take(first)]);
    if (first < 224) return Buffer.concat([...pieces, bytes.take((first - 192) * 256 + bytes.number(1) + 192)]);
    if (first === 255) return Buffer.concat([...pieces, bytes.take(bytes.number(4))]);
    pieces.push(bytes.take(2 ** (first & 31)));
  }
}

/** A body in the format of RFC 1991; the last packet may have no length. */
function takeLegacyBody(bytes: Bytes, lengthType: number): Buffer {
  return bytes.take(lengthType === 3 ? bytes.leftBytes : bytes.number(2 ** lengthType));
}

function* packetsOf(content: Buffer): Generator<Packet> {
  const bytes = new Bytes(content);
  while (bytes.leftBytes > 0) {
    const header = bytes.number(1);
    if (header < 128) throw new Error('it is no OpenPGP message');
    const isLegacy = (header & 64) === 0;
    if (isLegacy) yield { tag: (header >> 2) & 15, body: takeLegacyBody(bytes, header & 3) };
    else yield { tag: header & 63, body: takeBody(bytes) };
  }
}

function decompress(body: Buffer): Buffer {
  const [algorithm, packed] = [body[0] ?? 0, body.subarray(1)];
  const options = { maxOutputLength: maxDecompressedBytes };
  if (algorithm === 0) return packed;
  if (algorithm === 1) return inflateRawSync(packed, options);
  if (algorithm === 2) return inflateSync(packed, options);
  throw new Error(`compression algorithm ${algorithm} is not supported`);
}

/** What a literal data packet contains: behind its format, name and time. */
function literalContent(body: Buffer): Buffer {
  const bytes = new Bytes(body);
  bytes.take(1);
  bytes.take(bytes.number(1) + 4);
  return bytes.take(bytes.leftBytes);
}

/** Signatures up to the next content, if there is any. */
function signaturesIn(packets: Iterable<Packet>): Buffer[] {
  const signatures: Buffer[] = [];
  for (const { tag, body } of packets) {
    if (tag === tags.literal) break;
    if (tag === tags.signature) signatures.push(body);
    if (signatures.length > maxSignatures) throw new Error(`more than ${maxSignatures} signatures`);
  }
  return signatures;
}

function readParts(content: Buffer, depth: number): SignedParts {
  const packets = packetsOf(content);
  for (let next = packets.next(); next.done !== true; next = packets.next()) {
    const { tag, body } = next.value;
    if (encryptedTags.has(tag)) throw new Error('it is encrypted');
    if (tag === tags.literal) return { content: literalContent(body), signatures: signaturesIn(packets) };
    if (tag !== tags.compressed) continue;
    if (depth === maxNestedMessages) throw new Error('compressed too often');
    return readParts(decompress(body), depth + 1);
  }
  throw new Error('it has no content');
}

/** Takes a message apart: one literal data packet, perhaps compressed, and the signatures behind it. One-pass signature packets only announce
 *  those, and are ignored. At most 256 KiB and 16 signatures.
 *  @throws Error naming what is wrong with it */
export function readSignedParts(message: Buffer): SignedParts {
  try {
    return readParts(message, 0);
  } catch (thrown) {
    throw new Error(`could not read the message: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

/** A signature packet as a library reads it. */
export function signaturePacket(body: Buffer): Uint8Array {
  const header = Buffer.from([0xc0 | tags.signature, 0xff, 0, 0, 0, 0]);
  header.writeUInt32BE(body.length, 2);
  return new Uint8Array(Buffer.concat([header, body]));
}
