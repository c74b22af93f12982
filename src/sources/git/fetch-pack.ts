import { TerminalError, TransientError } from '../../base/index.ts';
import { type Advertisement, readAdvertisement } from './advertisement.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ObjectFormat } from './object-format.ts';
import { type PackFileOptions, writePack } from './pack-file.ts';
import { flushPacket, readPacket, textPacket, throwRemoteError } from './pkt-line.ts';
import type { RequestedRef } from './ref.ts';

/** A conversation with `git-upload-pack`; its first answer is the advertisement of refs. */
export interface UploadPack {
  /** @throws TransientError ServerUnavailable, CloneFailed · TerminalError Unauthorized */
  advertise(): Promise<ByteReader>;
  request(body: string): Promise<ByteReader>;
}

export interface FetchedPack {
  /** Of the requested ref or commit; a tag may be an object of its own. */
  readonly oid: string;
  readonly path: string;
  readonly format: ObjectFormat;
}

interface PackRequest extends Omit<PackFileOptions, 'format'> {
  readonly ref: RequestedRef;
  /** As `readAdvertisement` has it. */
  readonly onNames?: ((sizeBytes: number) => void) | undefined;
  /** Also fetches what leads to the commit: for servers that give no single commits. */
  readonly isWhole: boolean;
}

/** Progress is requested: it shows that a server that prepares a pack is alive. */
const supportedCapabilities = ['multi_ack_detailed', 'side-band-64k', 'ofs-delta'];
/** Servers fill packets of 64 KiB; each costs time, so that few bytes in many packets would keep a thread busy. */
const maxSmallPackets = 100_000;
const smallPacketBytes = 100;
const agent = 'agent=longshore';

/** What is asked for: the commit or tip alone, or all branches and tags.
 *  @throws TransientError CloneFailed · TerminalError CommitNotFound */
function wantsOf({ oid, tips }: Advertisement, { ref, isWhole }: PackRequest): readonly string[] {
  if (ref.kind === 'name') {
    if (oid === undefined) throw new TransientError('CloneFailed', `Could not find ${ref.fullName}.`);
    return [oid];
  }
  if (!isWhole) return [ref.commit];
  if (tips.size === 0) throw new TerminalError('CommitNotFound', 'the repository is empty');
  return [...tips];
}

function requestBody(advertisement: Advertisement, wants: readonly string[], isShallow: boolean): string {
  const { capabilities, format } = advertisement;
  const words = supportedCapabilities.filter((word) => capabilities.has(word));
  if ([...capabilities].some((word) => word.startsWith('object-format='))) {
    words.push(`object-format=${format.algorithm}`);
  }
  const lines = wants.map((oid, index) =>
    textPacket(index === 0 ? `want ${oid} ${[...words, agent].join(' ')}\n` : `want ${oid}\n`),
  );
  const depth = isShallow ? textPacket('deepen 1\n') : '';
  return `${lines.join('')}${depth}${flushPacket}${textPacket('done\n')}`;
}

/** Passes over the answer to `deepen` and to `done`. */
async function skipNegotiation(reader: ByteReader, isShallow: boolean): Promise<void> {
  let isInShallow = isShallow;
  for (let count = 1; ; count += 1) {
    const packet = await readPacket(reader);
    if (packet === undefined) throw reader.broken();
    if (count > maxSmallPackets) {
      throw new TerminalError(
        'TooManyPackets',
        `the server sends more than the limit of ${maxSmallPackets} lines before the pack`,
      );
    }
    if (packet === 'flush') {
      if (!isInShallow) throw new TransientError('CloneFailed', 'the server ended its answer without a pack');
      isInShallow = false;
      continue;
    }
    const text = packet.toString('latin1');
    if (/^(shallow|unshallow) /.test(text)) continue;
    if (/^NAK\n?$/.test(text)) return;
    if (!text.startsWith('ACK ')) {
      throw new TransientError('CloneFailed', `the server answered ${JSON.stringify(reader.shown(packet))}`);
    }
  }
}

/** The bytes of the pack in a packet; undefined for progress. */
function packPiece(reader: ByteReader, packet: Buffer): Buffer | undefined {
  const band = packet[0];
  if (band === 1) return packet.subarray(1);
  if (band === 3) throwRemoteError(reader, packet.subarray(1));
  if (band === 2 || band === undefined) return undefined;
  throw new TransientError('CloneFailed', `the server sends an unknown side band ${band}`);
}

/** The bytes of a pack, out of packets with a band each.
 *  @see gitprotocol-pack(5), "Packfile Data" */
async function* packBytes(reader: ByteReader, hasBands: boolean): AsyncGenerator<Buffer> {
  if (!hasBands) {
    yield* reader.rest();
    return;
  }
  let sizeBytes = 0;
  for (let count = 1; ; count += 1) {
    const packet = await readPacket(reader);
    if (packet === undefined) throw reader.broken();
    if (packet === 'flush') return;
    sizeBytes += packet.length;
    if (count > maxSmallPackets && sizeBytes < count * smallPacketBytes) {
      throw new TerminalError(
        'TooManyPackets',
        `the server sends the pack in packets of a few bytes: more than the limit of ${maxSmallPackets}`,
      );
    }
    const piece = packPiece(reader, packet);
    if (piece !== undefined) yield piece;
  }
}

/** Fetches a pack with one commit, as shallow as the server allows, into a file.
 *  @throws TransientError CloneFailed, TransferBroken, ServerUnavailable · TerminalError BodyTooLarge, CommitNotFound, TooManyObjects */
export async function fetchPack(server: UploadPack, request: PackRequest): Promise<FetchedPack> {
  const { ref, path, isWhole, maxBytes, signal, onBytes, onNames } = request;
  const advertisement = await readAdvertisement(await server.advertise(), ref, onNames);
  const wants = wantsOf(advertisement, request);
  const oid = ref.kind === 'commit' ? ref.commit : (wants[0] ?? '');
  const { capabilities, format } = advertisement;
  if (oid.length !== format.oidBytes * 2) {
    throw new TerminalError('CommitNotFound', `the repository names its objects by ${format.algorithm}`);
  }
  const isShallow = !isWhole && capabilities.has('shallow');
  const reader = await server.request(requestBody(advertisement, wants, isShallow));
  try {
    await skipNegotiation(reader, isShallow);
    const bytes = packBytes(reader, capabilities.has('side-band-64k'));
    await writePack(bytes, { path, format, maxBytes, signal, onBytes });
  } finally {
    await reader.close();
  }
  return { oid, path, format };
}
