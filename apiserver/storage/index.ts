/** Storage: all objects in memory with one revision counter, events for watches, a journal that makes writes durable.
 *  Main type: `Store`. Knows nothing of HTTP, validation or versions.
 *  @imports apiserver/core, src/base */
export { openStore } from './open-store.ts';
export { openSqliteJournal } from './sqlite-journal.ts';
export {
  type Change,
  type EventForms,
  type Journal,
  ObjectTooLargeError,
  StaleChangeError,
  StorageError,
  type StoredEntry,
  type StoreEvent,
} from './storage.ts';
export { Store } from './store.ts';
export { heapRoom } from './stored-size.ts';
export type { HistoryLimits } from './watch-history.ts';
