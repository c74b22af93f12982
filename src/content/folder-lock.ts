import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage, formatTimestamp, makeFolder, TerminalError } from '../base/index.ts';

const lockName = 'lock.sqlite';
const holderName = 'lock.holder';

/** Who has the lock, as it says itself; for messages only. */
function holderOf(folder: string): string {
  try {
    const text = readFileSync(join(folder, holderName), 'utf8').trim();
    return /^[\w .:-]{1,200}$/.test(text) ? text : 'another process';
  } catch {
    return 'another process';
  }
}

/** Keeps a folder for this process until it is disposed or the process ends, however it ends: the lock is the operating system's, held
 *  through a database file `lock.sqlite`, so none is ever left over. Makes the folder where it is missing.
 *  @throws TerminalError DataFolderInUse, naming the process that has it · DataFolderUnusable */
export function lockFolder(folder: string): Disposable {
  let database: DatabaseSync | undefined;
  try {
    makeFolder(folder, 0o700);
    database = new DatabaseSync(join(folder, lockName));
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS lock (held); COMMIT;');
    const since = formatTimestamp(Date.now());
    writeFileSync(join(folder, holderName), `process ${process.pid} on ${hostname()} since ${since}\n`, {
      mode: 0o600,
    });
  } catch (thrown) {
    database?.close();
    const isBusy = /locked|busy/i.test(errorMessage(thrown));
    const text = isBusy
      ? `data folder ${folder}: another process has it open: ${holderOf(folder)}; stop it, or name another folder`
      : `data folder ${folder}: ${errorMessage(thrown)}`;
    throw new TerminalError(isBusy ? 'DataFolderInUse' : 'DataFolderUnusable', text, { cause: thrown });
  }
  const held = database;
  return { [Symbol.dispose]: () => held.close() };
}
