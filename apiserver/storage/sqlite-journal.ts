import { closeSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import {
  errorMessage,
  fileProblem,
  isDiskFull,
  makeFolder,
  readHolder,
  TerminalError,
  writeHolder,
} from '../../src/base/index.ts';
import { DiskReserve } from './disk-reserve.ts';
import {
  applicationId,
  hasLog,
  headerProblem,
  isOurs,
  keepPrivate,
  logProblem,
  missingBytes,
  openBeside,
} from './journal-file.ts';
import { type Journal, type JournalRecord, StorageError } from './storage.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS objects (
    storage_key TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, text TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (storage_key, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** SQLite's own numbers: another process has the file; it may not be written; the file is damaged. */
const busyCodes = new Set([5, 6]);
const writeProtectionCodes = new Set([3, 8, 14]);
const damageCodes = new Set([11, 26]);
/** Reading or writing failed, also because a quota is exhausted. */
const inputOutputCode = 10;

/** The primary result code of an error of SQLite; 0 for any other. */
function resultCode(thrown: unknown): number {
  const code: unknown = thrown instanceof Error && 'errcode' in thrown ? thrown.errcode : 0;
  return typeof code === 'number' ? code & 0xff : 0;
}

function isBusy(thrown: unknown): boolean {
  return busyCodes.has(resultCode(thrown));
}

/** What the log needs for records, at most: texts, and a few pages of the database for each. */
function logBytesOf(records: readonly JournalRecord[]): number {
  return records.reduce((sum, { text = '' }) => sum + 2 * text.length + 32 * 1024, 0);
}

/** What of the database is made smaller at once, in pages: the thread waits for it, and it takes as much room in the log. */
const reclaimedPages = 256;

interface OpenDatabase {
  readonly path: string;
  readonly database: DatabaseSync;
  /** Of `openBeside`. */
  readonly file: number | undefined;
}

/** Keeps objects in `<dataDir>/objects.sqlite`: write-ahead log, synchronised on every commit, open in one process at a time. */
class SqliteJournal implements Journal {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #file: number | undefined;
  readonly #reserve: DiskReserve;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #setRevision: StatementSync;

  constructor({ path, database, file }: OpenDatabase, reserve: DiskReserve) {
    this.#path = path;
    this.#database = database;
    this.#file = file;
    this.#reserve = reserve;
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO objects (storage_key, key, revision, text, checksum) VALUES (?, ?, ?, ?, ?)',
    );
    this.#remove = database.prepare('DELETE FROM objects WHERE storage_key = ? AND key = ?');
    this.#setRevision = database.prepare("INSERT OR REPLACE INTO facts (name, value) VALUES ('revision', ?)");
  }

  load(): { readonly revision: number; readonly records: readonly JournalRecord[] } {
    try {
      const fact = this.#database.prepare("SELECT value FROM facts WHERE name = 'revision'").get();
      return { revision: Number(fact?.['value'] ?? 0), records: [...recordsIn(this.#database)] };
    } catch (thrown) {
      throw unreadable(this.#path, thrown);
    }
  }

  append(records: readonly JournalRecord[]): void {
    if (!this.#reserve.hold()) throw this.#failure(true, undefined);
    try {
      this.#write(records);
    } catch (thrown) {
      const isFull = this.#isFull(thrown, records);
      if (!isFull || !this.#makeRoom()) throw this.#failure(isFull, thrown);
      this.#appendAgain(records);
    }
  }

  appendFreeing(records: readonly JournalRecord[]): number {
    let count = 0;
    try {
      this.#reserve.release();
      for (const record of records) {
        this.#write([record]);
        count += 1;
      }
    } catch {
      // The reserve was too small for the rest.
    }
    this.#reclaim();
    return count;
  }

  close(): void {
    this.#database.close();
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #appendAgain(records: readonly JournalRecord[]): void {
    try {
      this.#write(records);
    } catch (thrown) {
      throw this.#failure(this.#isFull(thrown, records), thrown);
    }
  }

  #isFull(thrown: unknown, records: readonly JournalRecord[]): boolean {
    return isDiskFull(thrown) || (resultCode(thrown) === inputOutputCode && this.#reserve.refuses(logBytesOf(records)));
  }

  #failure(isFull: boolean, cause: unknown): StorageError {
    const why = isFull ? 'the disk is full' : errorMessage(cause);
    const reason = isFull ? 'StorageFull' : 'StorageFailed';
    return new StorageError(reason, `${this.#path}: ${why}: nothing was written`, { cause });
  }

  /** Returns to the disk what objects that were deleted had; answers whether there was any, and the reserve is still held. */
  #makeRoom(): boolean {
    const free = this.#database.prepare('PRAGMA freelist_count').get()?.['freelist_count'];
    if (Number(free) === 0) return false;
    this.#reserve.release();
    this.#reclaim();
    return this.#reserve.hold();
  }

  /** What has no room stays for the next time. */
  #reclaim(): void {
    try {
      this.#database.exec(`PRAGMA incremental_vacuum(${reclaimedPages}); PRAGMA wal_checkpoint(TRUNCATE);`);
    } catch {
      // The disk has no room for this either.
    }
    this.#reserve.hold();
  }

  #write(records: readonly JournalRecord[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { storageKey, key, revision, text } of records) {
        if (text === undefined) this.#remove.run(storageKey, key);
        else this.#put.run(storageKey, key, revision, text, crc32(text));
      }
      this.#setRevision.run(records.at(-1)?.revision ?? 0);
      this.#database.exec('COMMIT');
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw thrown;
    }
  }
}

/** Pages have no checksums: damage inside a text is seen by its own. */
function recordOf(row: Readonly<Record<string, unknown>>): JournalRecord {
  const { storage_key: storageKey, key, revision, text, checksum } = row;
  const isSound = checksum === null || (typeof text === 'string' && crc32(text) === checksum);
  if (!isSound) throw new TerminalError('DataFolderUnreadable', `${String(storageKey)} ${String(key)} is damaged`);
  return { storageKey: String(storageKey), key: String(key), revision: Number(revision), text: String(text) };
}

function* recordsIn(database: DatabaseSync): Generator<JournalRecord> {
  const select = database.prepare('SELECT storage_key, key, revision, text, checksum FROM objects');
  for (const row of select.iterate()) yield recordOf(row);
}

function isCodeOf(thrown: unknown, codes: readonly string[]): boolean {
  return codes.includes(String((thrown as NodeJS.ErrnoException).code));
}

/** What is wrong, and what to do about it. */
function problemOf(path: string, thrown: unknown): string {
  if (isDiskFull(thrown)) {
    return 'the disk is full (nothing is lost; make room on it, or start with another data folder)';
  }
  const advice = 'it is left as it is; make it writable, or start with another data folder';
  if (isCodeOf(thrown, ['EROFS', 'EACCES', 'EPERM'])) return `${fileProblem(thrown)} (${advice})`;
  if (writeProtectionCodes.has(resultCode(thrown))) return `${errorMessage(thrown)} (${advice})`;
  if (resultCode(thrown) === inputOutputCode) {
    return `${errorMessage(thrown)} (it is left as it is; check the disk and its quotas, then start again)`;
  }
  const missing = damageCodes.has(resultCode(thrown)) ? missingBytes(path) : '';
  return `${fileProblem(thrown)}${missing} (it is left as it is; restore it from a copy, or start with another data folder)`;
}

function unreadable(path: string, thrown: unknown): TerminalError {
  if (isBusy(thrown)) {
    const holder = readHolder(holderPath(path)) ?? 'another process';
    const text = `${path}: another process has it open: ${holder}; stop it, or start with another data folder`;
    return new TerminalError('DataFolderInUse', text, { cause: thrown });
  }
  return new TerminalError('DataFolderUnreadable', `${path}: ${problemOf(path, thrown)}`, { cause: thrown });
}

const holderPath = (path: string): string => `${path}.holder`;

/** A disk that takes no note of it is no reason not to start. */
function noteHolder(path: string): void {
  try {
    writeHolder(holderPath(path));
  } catch {
    rmSync(holderPath(path), { force: true });
  }
}

function hasChecksums(database: DatabaseSync): boolean {
  const columns = database.prepare("SELECT name FROM pragma_table_info('objects')").all();
  return columns.some(({ name }) => name === 'checksum');
}

/** Makes a new file ours, or an older one, which has no checksums yet; one that is ours is left as it is.
 *  @throws TerminalError when a process had it open, and nothing is in it */
function adopt(database: DatabaseSync, path: string): void {
  const owner = database.prepare('PRAGMA application_id').get()?.['application_id'];
  if (owner === applicationId) return;
  const hasTables = database.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined;
  if (!hasTables && readHolder(holderPath(path)) !== undefined) {
    throw new TerminalError('DataFolderUnreadable', 'nothing is in it: its log (objects.sqlite-wal) has been removed');
  }
  database.exec(`BEGIN EXCLUSIVE; ${schema}`);
  if (!hasChecksums(database)) database.exec('ALTER TABLE objects ADD COLUMN checksum INTEGER;');
  database.exec(`PRAGMA application_id = ${applicationId}; COMMIT;`);
}

/** Until the database is closed. */
function lock(database: DatabaseSync): void {
  database.exec('PRAGMA locking_mode = EXCLUSIVE;');
  if (!isOurs(database)) throw new TerminalError('DataFolderUnreadable', 'it is a database of another program');
  const isNew = database.prepare('PRAGMA page_count').get()?.['page_count'] === 0;
  // What deleted objects had can be returned to the disk. It is decided before there is anything in the file.
  if (isNew) database.exec('PRAGMA auto_vacuum = INCREMENTAL;');
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE; COMMIT;');
}

/** Lets SQLite examine a database together with its log.
 *  @throws TerminalError, or what SQLite throws, when it is damaged */
function examine(database: DatabaseSync, path: string): void {
  const problem = logProblem(path);
  if (problem !== undefined) throw new TerminalError('DataFolderUnreadable', problem);
  const [found] = database.prepare('PRAGMA quick_check(1)').all();
  const text = String(found?.['quick_check']);
  if (text !== 'ok') throw new TerminalError('DataFolderUnreadable', `it is damaged: ${text}${missingBytes(path)}`);
  if (hasChecksums(database)) for (const _record of recordsIn(database));
}

/** Closes a database that is refused. SQLite merges the log into it on closing, unless it finds that the file has been moved. */
function closeUnmerged(database: DatabaseSync | undefined, path: string): void {
  if (database === undefined) return;
  const aside = `${path}.refused`;
  renameSync(path, aside);
  try {
    database.close();
  } finally {
    renameSync(aside, path);
  }
}

/** Makes the file private, or a new one. One that was removed on purpose leaves its holder.
 *  @throws TerminalError when it was truncated to nothing */
function prepare(path: string, isThere: boolean): void {
  if (!isThere) rmSync(holderPath(path), { force: true });
  keepPrivate(path);
  if (statSync(path).size > 0 || readHolder(holderPath(path)) === undefined) return;
  throw new TerminalError('DataFolderUnreadable', 'it is empty: it has been truncated');
}

/** Opens (and creates) the journal of a data folder and locks it until `close`. A file that is none of ours or is damaged is left as it is.
 *  @throws TerminalError DataFolderInUse, DataFolderUnreadable */
export async function openSqliteJournal(dataDir: string): Promise<Journal> {
  const { DatabaseSync: Database } = await import('node:sqlite');
  makeFolder(dataDir, 0o700);
  const path = join(dataDir, 'objects.sqlite');
  let database: DatabaseSync | undefined;
  let file: number | undefined;
  try {
    file = openBeside(path);
    const problem = headerProblem(path, file);
    if (problem !== undefined) throw new TerminalError('DataFolderUnreadable', problem);
    const isUnmerged = hasLog(path);
    prepare(path, file !== undefined);
    database = new Database(path);
    lock(database);
    if (isUnmerged) examine(database, path);
    adopt(database, path);
    noteHolder(path);
    return new SqliteJournal({ path, database, file }, new DiskReserve(dataDir, 'objects.reserve'));
  } catch (thrown) {
    if (hasLog(path) && !isBusy(thrown)) closeUnmerged(database, path);
    else database?.close();
    if (file !== undefined && !isBusy(thrown)) closeSync(file);
    throw unreadable(path, thrown);
  }
}
