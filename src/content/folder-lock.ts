import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage, makeFolder, readHolder, TerminalError, writeHolder } from '../base/index.ts';

const lockName = 'lock.sqlite';
const holderName = 'lock.holder';

/** Keeps a folder for this process until it is disposed or the process ends, however it ends: the lock is the operating system's, held
 *  through a database file `lock.sqlite`, so none is ever left over. Makes the folder where it is missing.
 *  @throws TerminalError DataFolderInUse, naming the process that has it · DataFolderUnusable */
export function lockFolder(folder: string): Disposable {
  let database: DatabaseSync | undefined;
  try {
    makeFolder(folder, 0o700);
    database = new DatabaseSync(join(folder, lockName));
    // A transaction that never ends and writes nothing: the start of the process waits for no disk.
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
    writeHolder(join(folder, holderName));
  } catch (thrown) {
    database?.close();
    const isBusy = /locked|busy/i.test(errorMessage(thrown));
    const text = isBusy
      ? `data folder ${folder}: another process has it open: ${readHolder(join(folder, holderName)) ?? 'another process'}; stop it, or specify another folder`
      : `data folder ${folder}: ${errorMessage(thrown)}`;
    throw new TerminalError(isBusy ? 'DataFolderInUse' : 'DataFolderUnusable', text, { cause: thrown });
  }
  const held = database;
  return { [Symbol.dispose]: () => held.close() };
}
