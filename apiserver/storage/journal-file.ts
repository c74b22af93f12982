import { chmodSync, closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** In the header of files that this server made: "Lngs". */
export const applicationId: number = 0x4c6e6773;

const headerBytes = 100;
const magic = 'SQLite format 3\0';
const pageSizeAt = 16;
const changeCounterAt = 24;
const pageCountAt = 28;
const applicationIdAt = 68;
/** The change counter of when the pages were counted. */
const countedAtAt = 92;
const ownTables = ['facts', 'objects'];

interface Header {
  readonly fileBytes: number;
  readonly bytes: Buffer;
}

function readHeader(path: string): Header | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(headerBytes);
    const read = readSync(file, bytes, 0, headerBytes, 0);
    return { fileBytes: fstatSync(file).size, bytes: bytes.subarray(0, read) };
  } finally {
    closeSync(file);
  }
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** Why a file is none that may be opened and written to, by its first bytes alone; undefined for a good or an absent one. */
export function headerProblem(path: string): string | undefined {
  const header = readHeader(path);
  if (header === undefined || header.fileBytes === 0) {
    // SQLite would take the log of a file that lost its content for rubbish, and drop it.
    return sizeOf(`${path}-wal`) > 0 ? 'it is empty, but its log is not: it has been truncated' : undefined;
  }
  return contentProblem(header);
}

function contentProblem({ bytes, fileBytes }: Header): string | undefined {
  if (!bytes.toString('latin1').startsWith(magic)) return 'it is no database of this server';
  const pageSize = bytes.readUInt16BE(pageSizeAt);
  const pageBytes = pageSize === 1 ? 65_536 : pageSize;
  if (bytes.length < headerBytes || fileBytes % pageBytes !== 0) return 'it has been truncated in the middle of a page';
  const isCountTrue = bytes.readUInt32BE(changeCounterAt) === bytes.readUInt32BE(countedAtAt);
  if (isCountTrue && bytes.readUInt32BE(pageCountAt) * pageBytes > fileBytes) return 'it has been truncated';
  const owner = bytes.readUInt32BE(applicationIdAt);
  return owner === applicationId || owner === 0 ? undefined : 'it is a database of another program';
}

/** Whether a database without an owner in its header holds nothing but tables of ours, or nothing at all. */
export function isOurs(database: DatabaseSync): boolean {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables.every(({ name }) => ownTables.includes(String(name)));
}

/** It holds Secrets, and the folder may be open to others. SQLite gives its log the mode of the database. */
export function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}
