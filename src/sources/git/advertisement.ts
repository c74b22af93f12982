import { TerminalError, TransientError } from '../../base/index.ts';
import type { ByteReader } from './byte-reader.ts';
import { type ObjectFormat, objectFormatOf } from './object-format.ts';
import { type Packet, readPacket } from './pkt-line.ts';
import type { RequestedRef } from './ref.ts';

/** Branches and tags that are asked for at once, when a server gives no single commits. */
const maxTips = 50_000;
/** The largest public repositories have two or three hundred thousand refs. Each line costs time, so that few bytes in many would keep a thread busy. */
const maxLines = 500_000;

/** What a server has to offer for one ref. */
export interface Advertisement {
  readonly capabilities: ReadonlySet<string>;
  readonly format: ObjectFormat;
  /** Of the requested ref; undefined when the server does not have it. */
  readonly oid: string | undefined;
  /** For a requested commit: all branches and tags. */
  readonly tips: ReadonlySet<string>;
}

interface Line {
  readonly oid: string;
  readonly name: string;
  readonly capabilities: readonly string[] | undefined;
}

function parseLine(packet: Buffer): Line | undefined {
  const text = packet.toString().replace(/\n$/, '');
  const match = /^([0-9a-f]{40}|[0-9a-f]{64}) ([^\0]+)(?:\0(.*))?$/s.exec(text);
  if (match === null) return undefined;
  const [, oid, name = '', capabilities] = match;
  // Not a part of the line, which would stay in memory with it.
  return {
    oid: packet.toString('latin1', 0, oid?.length),
    name,
    capabilities: capabilities?.split(' ').filter((word) => word !== ''),
  };
}

/** About what the name of a commit takes in memory, here and in the request for it. */
const tipBytes = 256;

class AdvertisementReader {
  readonly #ref: RequestedRef;
  readonly #onNames: ((sizeBytes: number) => void) | undefined;
  capabilities: ReadonlySet<string> = new Set();
  oid: string | undefined;
  readonly tips: Set<string> = new Set();

  constructor(ref: RequestedRef, onNames: ((sizeBytes: number) => void) | undefined) {
    this.#ref = ref;
    this.#onNames = onNames;
  }

  add({ oid, name, capabilities }: Line): void {
    if (capabilities !== undefined) this.capabilities = new Set(capabilities);
    if (this.#ref.kind === 'name') {
      if (name === this.#ref.fullName) this.oid = oid;
      return;
    }
    if (oid === this.#ref.commit) this.oid = oid;
    if (!/^refs\/(heads|tags)\//.test(name) || name.endsWith('^{}')) return;
    this.#onNames?.(tipBytes);
    this.tips.add(oid);
    if (this.tips.size > maxTips) {
      throw new TerminalError('TooManyRefs', `more than ${maxTips} branches and tags: name a branch or tag`);
    }
  }
}

async function readLine(reader: ByteReader, count: number): Promise<Packet> {
  const packet = await readPacket(reader);
  if (packet === undefined) throw reader.broken();
  if (count <= maxLines) return packet;
  throw new TerminalError('TooManyRefs', `the server advertises more than the limit of ${maxLines} refs`);
}

/** Reads the refs that a server advertises, however many there are; only those that are needed stay in memory. `onNames` is called before they take so many
 *  bytes of it; what it throws ends the reading.
 *  @throws TransientError CloneFailed, TransferBroken · TerminalError BodyTooLarge, TooManyRefs
 *  @see gitprotocol-pack(5), "Reference Discovery" */
export async function readAdvertisement(
  reader: ByteReader,
  ref: RequestedRef,
  onNames?: (sizeBytes: number) => void,
): Promise<Advertisement> {
  const found = new AdvertisementReader(ref, onNames);
  let isInService = false;
  for (let count = 1; ; count += 1) {
    const packet = await readLine(reader, count);
    if (packet === 'flush') {
      if (!isInService) break;
      isInService = false;
      continue;
    }
    const head = packet.subarray(0, 16).toString('latin1');
    isInService ||= count === 1 && head.startsWith('# service=');
    if (isInService || /^(version|shallow) /.test(head)) continue;
    const line = parseLine(packet);
    if (line === undefined) throw new TransientError('CloneFailed', 'the server advertises an invalid git ref');
    found.add(line);
  }
  const { capabilities, oid, tips } = found;
  return { capabilities, oid, tips, format: objectFormatOf(capabilities) };
}
