import { chmodSync, closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** In the header of files that this server made: "Lngs". */
export const applicationId: number = 0x4c6e6773;

const headerBytes = 100;
const magic = 'SQLite format 3\0';
const pageSizeAt = 16;
const pageCountAt = 28;
const applicationIdAt = 68;
/** Of a write-ahead log. The lowest bit of its magic number: whether its checksums read words as big-endian.
 *  @see https://www.sqlite.org/fileformat2.html "WAL File Format" */
const logHeaderBytes = 32;
const logSumAt = 24;
const logMagic = 0x377f0682;
const ownTables = ['facts', 'objects'];

interface Header {
  readonly fileBytes: number;
  readonly bytes: Buffer;
}

function headerOf(file: number): Header {
  const bytes = Buffer.alloc(headerBytes);
  readSync(file, bytes, 0, headerBytes, 0);
  return { fileBytes: fstatSync(file).size, bytes };
}

function readHeader(path: string): Header | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r');
  try {
    return headerOf(file);
  } finally {
    closeSync(file);
  }
}

/** Opens the file of a database for reading, if there is one. It is closed after the database, and not where the database is locked: closing it takes all
 *  locks on the file from this process, also those of another server in it. */
export function openBeside(path: string): number | undefined {
  return existsSync(path) ? openSync(path, 'r') : undefined;
}

/** Whether a write-ahead log is left: the process before did not stop cleanly, or the disk had no room to merge the log into the database. */
export function hasLog(path: string): boolean {
  return existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0;
}

/** Why a file must not be opened for writing, by its first bytes alone; undefined for a good or an absent one. Whether a database is complete is
 *  for SQLite to decide: with a log beside it, it may be shorter than its header states, and nothing is lost. */
export function headerProblem(path: string, file: number | undefined): string | undefined {
  const header = file === undefined ? undefined : headerOf(file);
  if (header === undefined || header.fileBytes === 0) {
    // SQLite deletes the log of an empty database.
    return hasLog(path) ? 'it is empty, but its log is not: it has been truncated' : undefined;
  }
  const { bytes } = header;
  if (!bytes.toString('latin1').startsWith(magic)) return 'it is no database of this server';
  const owner = bytes.readUInt32BE(applicationIdAt);
  return owner === applicationId || owner === 0 ? undefined : 'it is a database of another program';
}

/** What is wrong with the write-ahead log. SQLite ignores one with a damaged header, and everything that was committed in it; the header is made durable
 *  before anything is written after it. */
export function logProblem(path: string): string | undefined {
  const log = readHeader(`${path}-wal`);
  if (log === undefined || log.fileBytes <= logHeaderBytes) return undefined;
  const { bytes } = log;
  const isBigEndian = bytes.readUInt32BE(0) === logMagic + 1;
  let [one, two] = [0, 0];
  for (let at = 0; at < logSumAt; at += 8) {
    one = (one + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + two) >>> 0;
    two = (two + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + one) >>> 0;
  }
  const isKnown = isBigEndian || bytes.readUInt32BE(0) === logMagic;
  const isSound = isKnown && bytes.readUInt32BE(logSumAt) === one && bytes.readUInt32BE(logSumAt + 4) === two;
  return isSound
    ? undefined
    : 'its log (objects.sqlite-wal) is damaged, and may have writes that are not in the database: without the log it opens with what is in the database';
}

/** What a reader of "malformed" wants to know: whether the end of the file is missing. Empty when the size matches the header. */
export function missingBytes(path: string): string {
  const header = readHeader(path);
  if (header === undefined) return '';
  const pageSize = header.bytes.readUInt16BE(pageSizeAt);
  const expected = header.bytes.readUInt32BE(pageCountAt) * (pageSize === 1 ? 65_536 : pageSize);
  const { fileBytes } = header;
  return fileBytes < expected ? `: it has ${fileBytes} of ${expected} bytes: it has been truncated` : '';
}

/** Whether a database without an owner in its header holds nothing but tables of ours, or nothing at all. */
export function isOurs(database: DatabaseSync): boolean {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables.every(({ name }) => ownTables.includes(String(name)));
}

/** It holds Secrets, and the folder may be open to others. SQLite gives its log the mode of the database. */
export function keepPrivate(path: string): void {
  if (existsSync(path)) chmodSync(path, 0o600);
  else closeSync(openSync(path, 'ax', 0o600));
}
