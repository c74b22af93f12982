import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { errorMessage, TerminalError } from '../../src/base/index.ts';
import type { Journal, JournalRecord } from './storage.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS objects (
    storage_key TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (storage_key, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Keeps objects in `<dataDir>/objects.sqlite`: write-ahead log, synchronised on every commit, open in one process at a time. */
class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #setRevision: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO objects (storage_key, key, revision, text) VALUES (?, ?, ?, ?)',
    );
    this.#remove = database.prepare('DELETE FROM objects WHERE storage_key = ? AND key = ?');
    this.#setRevision = database.prepare("INSERT OR REPLACE INTO facts (name, value) VALUES ('revision', ?)");
  }

  load(): { readonly revision: number; readonly records: readonly JournalRecord[] } {
    const fact = this.#database.prepare("SELECT value FROM facts WHERE name = 'revision'").get();
    const rows = this.#database.prepare('SELECT storage_key, key, revision, text FROM objects').all();
    const records = rows.map((row) => ({
      storageKey: String(row['storage_key']),
      key: String(row['key']),
      revision: Number(row['revision']),
      text: String(row['text']),
    }));
    return { revision: Number(fact?.['value'] ?? 0), records };
  }

  append(records: readonly JournalRecord[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { storageKey, key, revision, text } of records) {
        if (text === undefined) this.#remove.run(storageKey, key);
        else this.#put.run(storageKey, key, revision, text);
      }
      this.#setRevision.run(records.at(-1)?.revision ?? 0);
      this.#database.exec('COMMIT');
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw thrown;
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** It holds Secrets, and the folder may be open to others. SQLite gives its log the mode of the database. */
function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/** Opens (and creates) the journal of a data folder and locks it until `close`.
 *  @throws TerminalError DataFolderInUse, DataFolderUnreadable */
export async function openSqliteJournal(dataDir: string): Promise<Journal> {
  const { DatabaseSync: Database } = await import('node:sqlite');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'objects.sqlite');
  let database: DatabaseSync | undefined;
  try {
    keepPrivate(path);
    database = new Database(path);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    database.exec(`BEGIN EXCLUSIVE; ${schema} COMMIT;`);
    return new SqliteJournal(database);
  } catch (thrown) {
    database?.close();
    const isBusy = /locked|busy/i.test(errorMessage(thrown));
    const reason = isBusy ? 'DataFolderInUse' : 'DataFolderUnreadable';
    const text = isBusy ? 'another process has it open' : errorMessage(thrown);
    throw new TerminalError(reason, `data folder ${dataDir}: ${text}`, { cause: thrown });
  }
}
