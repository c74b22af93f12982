import { openSqliteJournal } from './sqlite-journal.ts';
import { Store } from './store.ts';
import type { SizeLimits } from './stored-size.ts';

/** A store of what a data folder holds, or an empty one in memory. A folder that cannot be read is left to the next attempt.
 *  @throws TerminalError DataFolderInUse, DataFolderUnreadable */
export async function openStore(dataDir: string | undefined, limits: SizeLimits): Promise<Store> {
  if (dataDir === undefined) return new Store(limits);
  const journal = await openSqliteJournal(dataDir);
  try {
    return new Store({ ...limits, journal });
  } catch (thrown) {
    journal.close();
    throw thrown;
  }
}
