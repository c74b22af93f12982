import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage, TerminalError } from '../../base/index.ts';

/** Raised with each change of what is in the file: others are rebuilt. */
const formatVersion = 7;
/** In the header of files that this program made: "LngC". */
const applicationId = 0x4c6e6743;
const headerBytes = 100;
const magic = 'SQLite format 3\0';

const tables = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE metas (
    id INTEGER PRIMARY KEY, schema TEXT NOT NULL, package TEXT NOT NULL, name TEXT NOT NULL, start INTEGER NOT NULL,
    length INTEGER NOT NULL, checksum INTEGER NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE texts (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE packages (name TEXT PRIMARY KEY, record TEXT NOT NULL, message BLOB NOT NULL) STRICT;
  CREATE TABLE channels (
    package TEXT NOT NULL, name TEXT NOT NULL, heads TEXT NOT NULL, PRIMARY KEY (package, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE members (
    id INTEGER PRIMARY KEY, package TEXT NOT NULL, channel TEXT NOT NULL, bundle TEXT NOT NULL, meta INTEGER NOT NULL,
    distance INTEGER NOT NULL, replaces TEXT NOT NULL, skips TEXT NOT NULL, message BLOB NOT NULL, edgeless INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE csvs (meta INTEGER PRIMARY KEY, json BLOB NOT NULL) STRICT;
  CREATE TABLE edges (target TEXT NOT NULL, member INTEGER NOT NULL, PRIMARY KEY (target, member)) STRICT, WITHOUT ROWID;
  CREATE TABLE providers (
    api_group TEXT NOT NULL, version TEXT NOT NULL, kind TEXT NOT NULL, package TEXT NOT NULL, bundle TEXT NOT NULL,
    PRIMARY KEY (api_group, version, kind, package, bundle)
  ) STRICT, WITHOUT ROWID;
  CREATE TEMP TABLE slim (package TEXT NOT NULL, id INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (package, id)) STRICT, WITHOUT ROWID;
`;

const lookups = `
  CREATE INDEX metas_by_name ON metas (name);
  CREATE UNIQUE INDEX members_by_channel ON members (channel, package, bundle);
  CREATE INDEX members_by_bundle ON members (package, bundle);
`;

/** A database of a new index, in which nothing outlasts a crash until it is finished.
 *  @throws Error when the file cannot be written */
export function createIndexFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(
    `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion}; BEGIN; ${tables}`,
  );
  return database;
}

/** Writes what is left to be written. */
export function finishIndexFile(database: DatabaseSync, facts: Readonly<Record<string, string>>): void {
  const put = database.prepare('INSERT INTO facts (name, value) VALUES (?, ?)');
  for (const [name, value] of Object.entries(facts)) put.run(name, value);
  database.exec(`${lookups} COMMIT;`);
}

/** SQLite's own numbers: the file is damaged; it is none. */
const damageCodes = new Set([11, 26]);

/** Busy, out of memory, input and output, cannot be opened: the file may be fine. */
const environmentCodes = new Set([5, 6, 7, 10, 14]);

function primaryCode(thrown: unknown): number {
  const code: unknown = thrown instanceof Error && 'errcode' in thrown ? thrown.errcode : 0;
  return typeof code === 'number' ? code & 0xff : 0;
}

/** Whether reading failed for what stands in the file. */
export function isDamage(thrown: unknown): boolean {
  return damageCodes.has(primaryCode(thrown));
}

/** The error for an index that cannot be used. */
export function unusable(file: string, why: string, cause?: unknown): TerminalError {
  const text = `${file}: ${why}: remove it and rebuild the index of the catalog`;
  return new TerminalError('CatalogIndexUnusable', text, cause === undefined ? {} : { cause });
}

function headerProblem(bytes: Buffer, fileBytes: number): string | undefined {
  if (!bytes.toString('latin1').startsWith(magic)) return 'it is no index of a catalog';
  if (bytes.length < headerBytes) return 'it has been truncated';
  if (bytes.readUInt32BE(68) !== applicationId) return 'it is a database of another program';
  const version = bytes.readUInt32BE(60);
  if (version !== formatVersion) return `its format is ${version}, expected ${formatVersion}`;
  const pageSize = bytes.readUInt16BE(16);
  const expectedBytes = bytes.readUInt32BE(28) * (pageSize === 1 ? 65_536 : pageSize);
  return expectedBytes === fileBytes ? undefined : `it has ${fileBytes} bytes, expected ${expectedBytes}`;
}

function checkHeader(path: string): void {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(headerBytes);
    const read = readSync(file, bytes, 0, headerBytes, 0);
    const problem = headerProblem(bytes.subarray(0, read), fstatSync(file).size);
    if (problem !== undefined) throw unusable(path, problem);
  } finally {
    closeSync(file);
  }
}

/** Opens a finished index for reading.
 *  @throws TerminalError CatalogIndexUnusable · Error ENOENT and the like of a file that cannot be read */
export function openIndexFile(file: string): {
  readonly database: DatabaseSync;
  readonly facts: ReadonlyMap<string, string>;
} {
  checkHeader(file);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT name, value FROM facts').all();
    const facts = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
    return { database, facts };
  } catch (thrown) {
    database.close();
    throw environmentCodes.has(primaryCode(thrown)) ? thrown : unusable(file, errorMessage(thrown), thrown);
  }
}
