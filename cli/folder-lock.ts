import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage, TerminalError } from '../src/base/index.ts';

/** Keeps a data folder for this process until it is disposed or the process ends, however it ends: the lock is the operating system's, held
 *  through a database file `lock.sqlite`.
 *  @throws TerminalError DataFolderInUse, DataFolderUnusable */
export function lockFolder(folder: string): Disposable {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(folder, 'lock.sqlite'));
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS lock (held); COMMIT;');
  } catch (thrown) {
    database?.close();
    const isBusy = /locked|busy/i.test(errorMessage(thrown));
    const text = `data folder ${folder}: ${isBusy ? 'another process has it open' : errorMessage(thrown)}`;
    throw new TerminalError(isBusy ? 'DataFolderInUse' : 'DataFolderUnusable', text, { cause: thrown });
  }
  const held = database;
  return { [Symbol.dispose]: () => held.close() };
}
