import { createHash } from 'node:crypto';
import { TerminalError } from '../../base/index.ts';
import { EntryTable } from './entry-table.ts';
import { type ObjectFormat, objectTypes } from './object-format.ts';
import { packHeaderBytes, readObjectCount } from './pack-file.ts';
import { type PackInflater, scanWindowBytes, smallBytes } from './pack-inflater.ts';

const ofsDelta = 6;
const refDelta = 7;
/** Type and size, and the name or distance of a base. */
const maxEntryHeaderBytes = 48;
/** An entry costs as much time as so many bytes, however small it is. */
const entryWorkBytes = 4096;

interface EntryHeader {
  readonly type: number;
  readonly sizeBytes: number;
  readonly headerBytes: number;
  /** Of a delta: how far back its base begins, or its name. */
  readonly distance: number;
  readonly baseOid: Buffer | undefined;
}

function invalid(offset: number, problem: string): TerminalError {
  return new TerminalError('InvalidPack', `the pack is invalid at byte ${offset}: ${problem}`);
}

/** @see gitformat-pack(5), "n-byte type and length", "n-byte offset" */
function parseEntryHeader(bytes: Buffer, offset: number, oidBytes: number): EntryHeader {
  let at = 0;
  const next = (): number => {
    const byte = bytes[at];
    if (byte === undefined) throw invalid(offset, 'unexpected end of data');
    at += 1;
    if (at > 20) throw invalid(offset, 'the header of an object is too long');
    return byte;
  };
  const first = next();
  const type = (first >> 4) & 7;
  let sizeBytes = first & 0x0f;
  for (let factor = 16, byte = first; byte >= 0x80; factor *= 128) {
    byte = next();
    sizeBytes += (byte & 0x7f) * factor;
  }
  if (!Number.isSafeInteger(sizeBytes)) throw invalid(offset, 'an object is too large');
  let distance = 0;
  let baseOid: Buffer | undefined;
  if (type === ofsDelta) {
    let byte = next();
    distance = byte & 0x7f;
    while (byte >= 0x80) {
      byte = next();
      distance = (distance + 1) * 128 + (byte & 0x7f);
    }
  } else if (type === refDelta) {
    baseOid = bytes.subarray(at, at + oidBytes);
    if (baseOid.length < oidBytes) throw invalid(offset, 'unexpected end of data');
    at += oidBytes;
  } else if (!objectTypes.has(type)) throw invalid(offset, `unknown type of object ${type}`);
  return { type, sizeBytes, headerBytes: at, distance, baseOid };
}

/** The name of an object.
 *  @see gitformat-pack(5); git-hash-object(1) */
export function hashObject({ algorithm }: ObjectFormat, typeName: string, content: Buffer): Buffer {
  return createHash(algorithm).update(`${typeName} ${content.length}\0`).update(content).digest();
}

interface Scan {
  readonly inflater: PackInflater;
  readonly table: EntryTable;
  readonly format: ObjectFormat;
  /** Of a delta, and of what it is based on. */
  readonly maxDeltaBytes: number;
}

/** Inflates an entry and names what is an object already. Returns how many bytes of the pack it takes. */
async function readContent(scan: Scan, index: number, header: EntryHeader): Promise<number> {
  const { inflater, table, format } = scan;
  const { type, sizeBytes } = header;
  const offset = (table.offsets[index] ?? 0) + header.headerBytes;
  const typeName = objectTypes.get(type);
  if (typeName === undefined && sizeBytes > scan.maxDeltaBytes) {
    throw new TerminalError(
      'DeltaTooLarge',
      `a delta of ${sizeBytes} bytes, more than the limit of ${scan.maxDeltaBytes} bytes`,
    );
  }
  if (sizeBytes <= smallBytes) {
    const { content, consumedBytes } = await inflater.inflate(offset, sizeBytes);
    if (typeName !== undefined) table.setObject(index, type, hashObject(format, typeName, content));
    return consumedBytes;
  }
  const hash = createHash(format.algorithm).update(`${typeName ?? ''} ${sizeBytes}\0`);
  const pieces = inflater.stream(offset, sizeBytes);
  let step = await pieces.next();
  for (; step.done !== true; step = await pieces.next()) hash.update(step.value);
  if (typeName !== undefined) table.setObject(index, type, hash.digest());
  return step.value;
}

function noteBase(table: EntryTable, index: number, { distance, baseOid, type }: EntryHeader): void {
  const offset = table.offsets[index] ?? 0;
  if (baseOid !== undefined) table.setBaseOid(index, baseOid);
  if (type !== ofsDelta) return;
  const base = distance > 0 ? table.indexBefore(offset - distance, index) : -1;
  if (base < 0) throw invalid(offset, 'the base of a delta is not an object');
  table.bases[index] = base;
}

/** Passes through a pack once: where each entry lies, and the names of all objects that are no deltas.
 *  @throws TerminalError InvalidPack, UnpackedTooLarge, DeltaTooLarge */
export async function scanPack(
  inflater: PackInflater,
  options: { readonly format: ObjectFormat; readonly maxDeltaBytes: number },
): Promise<EntryTable> {
  const { format } = options;
  const count = readObjectCount(await inflater.bytesAt(0, packHeaderBytes));
  const table = new EntryTable(count, format.oidBytes);
  const scan: Scan = { inflater, table, ...options };
  const { readAheadBytes } = inflater;
  inflater.readAheadBytes = scanWindowBytes;
  let offset = packHeaderBytes;
  for (let index = 0; index < count; index += 1) {
    await inflater.turns();
    inflater.count(entryWorkBytes);
    const header = parseEntryHeader(await inflater.bytesAt(offset, maxEntryHeaderBytes), offset, format.oidBytes);
    table.offsets[index] = offset;
    table.headerBytes[index] = header.headerBytes;
    table.sizes[index] = header.sizeBytes;
    table.storedTypes[index] = header.type;
    noteBase(table, index, header);
    offset += header.headerBytes + (await readContent(scan, index, header));
  }
  table.offsets[count] = offset;
  if (offset !== inflater.endOffset) throw invalid(offset, 'unexpected data after its objects');
  inflater.readAheadBytes = readAheadBytes;
  return table;
}
