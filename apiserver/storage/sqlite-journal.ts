import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { errorMessage, TerminalError } from '../../src/base/index.ts';
import { applicationId, headerProblem, isOurs, keepPrivate } from './journal-file.ts';
import { type Journal, type JournalRecord, StorageError } from './storage.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS objects (
    storage_key TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, text TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (storage_key, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** SQLite's own numbers: the disk is full; the file is damaged; another process has it. */
const fullCodes = new Set([13]);
const busyCodes = new Set([5, 6]);

/** The primary result code of an error of SQLite; 0 for any other. */
function resultCode(thrown: unknown): number {
  const code: unknown = thrown instanceof Error && 'errcode' in thrown ? thrown.errcode : 0;
  return typeof code === 'number' ? code & 0xff : 0;
}

/** Keeps objects in `<dataDir>/objects.sqlite`: write-ahead log, synchronised on every commit, open in one process at a time. */
class SqliteJournal implements Journal {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #setRevision: StatementSync;

  constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO objects (storage_key, key, revision, text, checksum) VALUES (?, ?, ?, ?, ?)',
    );
    this.#remove = database.prepare('DELETE FROM objects WHERE storage_key = ? AND key = ?');
    this.#setRevision = database.prepare("INSERT OR REPLACE INTO facts (name, value) VALUES ('revision', ?)");
  }

  load(): { readonly revision: number; readonly records: readonly JournalRecord[] } {
    try {
      const fact = this.#database.prepare("SELECT value FROM facts WHERE name = 'revision'").get();
      const select = this.#database.prepare('SELECT storage_key, key, revision, text, checksum FROM objects');
      const records: JournalRecord[] = [];
      for (const row of select.iterate()) records.push(recordOf(row));
      return { revision: Number(fact?.['value'] ?? 0), records };
    } catch (thrown) {
      throw unreadable(this.#path, thrown);
    }
  }

  append(records: readonly JournalRecord[]): void {
    try {
      this.#write(records);
    } catch (thrown) {
      const isFull = fullCodes.has(resultCode(thrown));
      const why = isFull ? 'the disk is full' : errorMessage(thrown);
      const reason = isFull ? 'StorageFull' : 'StorageFailed';
      throw new StorageError(reason, `${this.#path}: ${why}: nothing was written`, { cause: thrown });
    }
  }

  close(): void {
    this.#database.close();
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

function unreadable(path: string, thrown: unknown): TerminalError {
  if (busyCodes.has(resultCode(thrown))) {
    return new TerminalError('DataFolderInUse', `${path}: another process has it open`, { cause: thrown });
  }
  const advice = 'it is left as it is; restore it from a copy, or start with another data folder';
  return new TerminalError('DataFolderUnreadable', `${path}: ${errorMessage(thrown)} (${advice})`, { cause: thrown });
}

/** Makes a new file ours, or an older one, which has no checksums yet; one that is ours is left as it is. */
function adopt(database: DatabaseSync): void {
  const owner = database.prepare('PRAGMA application_id').get()?.['application_id'];
  if (owner === applicationId) return;
  database.exec(`BEGIN EXCLUSIVE; ${schema}`);
  const columns = database.prepare("SELECT name FROM pragma_table_info('objects')").all();
  const hasChecksums = columns.some(({ name }) => name === 'checksum');
  if (!hasChecksums) database.exec('ALTER TABLE objects ADD COLUMN checksum INTEGER;');
  database.exec(`PRAGMA application_id = ${applicationId}; COMMIT;`);
}

function prepare(database: DatabaseSync): void {
  if (!isOurs(database)) throw new TerminalError('DataFolderUnreadable', 'it is a database of another program');
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec('BEGIN EXCLUSIVE; COMMIT;');
  adopt(database);
}

/** Opens (and creates) the journal of a data folder and locks it until `close`. A file that is none of ours or is damaged is left as it is.
 *  @throws TerminalError DataFolderInUse, DataFolderUnreadable */
export async function openSqliteJournal(dataDir: string): Promise<Journal> {
  const { DatabaseSync: Database } = await import('node:sqlite');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'objects.sqlite');
  let database: DatabaseSync | undefined;
  try {
    const problem = headerProblem(path);
    if (problem !== undefined) throw new TerminalError('DataFolderUnreadable', problem);
    keepPrivate(path);
    database = new Database(path);
    prepare(database);
    return new SqliteJournal(path, database);
  } catch (thrown) {
    database?.close();
    throw unreadable(path, thrown);
  }
}
