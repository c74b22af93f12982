import { TransientError } from '../../src/base/index.ts';
import type { KubeObject } from '../core/index.ts';

/** One stored object. `text` is its JSON, beginning with kind and apiVersion; both are shared and never changed.
 *  `object` may be parsed again from time to time: it is equal, but not always the same. */
export interface StoredEntry {
  readonly storageKey: string;
  /** `namespace/name`; the namespace is empty for cluster-scoped objects. */
  readonly key: string;
  readonly revision: number;
  readonly object: KubeObject;
  readonly text: string;
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** For DELETED: the last state with the revision of the deletion. */
  readonly entry: StoredEntry;
  readonly previous: StoredEntry | undefined;
}

/** Forms of one event, shared by all watches that receive it, so that each is made once. */
export interface EventForms {
  /** Serialised, by all that the bytes depend on. */
  readonly bytes: Map<string, Buffer>;
  /** Its objects in other versions, by version and revision. */
  readonly objects: Map<string, KubeObject>;
}

/** A write that replaces exactly the state it was made from. */
export interface Change {
  readonly storageKey: string;
  readonly key: string;
  /** The entry that this change replaces; undefined: nothing may be there. */
  readonly replaces: StoredEntry | undefined;
  /** Undefined deletes. */
  readonly object: KubeObject | undefined;
}

/** Whether a change deletes an object, or marks it as one that is deleted once its finalizers are removed. */
export function isDeletion({ object, replaces }: Change): boolean {
  if (object === undefined) return true;
  return object.metadata.deletionTimestamp !== undefined && replaces?.object.metadata.deletionTimestamp === undefined;
}

/** The state was not the one that the change replaces. */
export class StaleChangeError extends Error {
  readonly current: StoredEntry | undefined;

  constructor(current: StoredEntry | undefined) {
    super('the stored state has changed');
    this.name = 'StaleChangeError';
    this.current = current;
  }
}

/** An object is larger than one may be: many small changes would add up to more than the memory that there is. */
export class ObjectTooLargeError extends Error {
  constructor() {
    // As kube-apiserver reports it.
    super('etcdserver: request is too large');
    this.name = 'ObjectTooLargeError';
  }
}

/** A write could not be made durable: it is undone, and later ones may succeed. */
export class StorageError extends TransientError {
  readonly isFull: boolean;

  constructor(reason: 'StorageFull' | 'StorageFailed', message: string, options?: { readonly cause: unknown }) {
    super(reason, message, options);
    this.isFull = reason === 'StorageFull';
  }
}

/** One record of the journal: an object put (`text`) or removed (`undefined`). */
export interface JournalRecord {
  readonly storageKey: string;
  readonly key: string;
  readonly revision: number;
  readonly text: string | undefined;
}

/** Where writes become durable. `append` returns only when all records, together, survive a crash.
 *  @throws StorageError when none of them does */
export interface Journal {
  /** @throws TerminalError DataFolderUnreadable, with the name of the file */
  load(): { readonly revision: number; readonly records: readonly JournalRecord[] };
  append(records: readonly JournalRecord[]): void;
  /** Writes, in order, records that make the objects no larger, with room that a full disk has for this alone; returns how many were written. */
  appendFreeing(records: readonly JournalRecord[]): number;
  close(): void;
}
