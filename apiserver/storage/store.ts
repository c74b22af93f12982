import type { KubeObject } from '../core/index.ts';
import { ParsedObjects } from './parsed-objects.ts';
import { SortedTable } from './sorted-table.ts';
import {
  type Change,
  type EventForms,
  isDeletion,
  type Journal,
  type JournalRecord,
  ObjectTooLargeError,
  StaleChangeError,
  StorageError,
  type StoredEntry,
  type StoreEvent,
} from './storage.ts';
import { type SizeLimits, StoredSize } from './stored-size.ts';
import { defaultHistoryLimits, type HistoryLimits, WatchHistory } from './watch-history.ts';

type Listener = (event: StoreEvent, forms: EventForms) => void;

interface Pending {
  readonly event: StoreEvent;
  /** Whether it is a deletion, or makes the object no larger. */
  readonly isFreeing: boolean;
  readonly record: JournalRecord;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** Of the JSON of an object: as much as the body of a request, twice of what etcd takes. */
const maxObjectCharacters = 3 * 1024 * 1024;
/** What a deletion notes on an object. */
const deletionCharacters = 1024;

/** An object that was larger before there was a limit may stay so, and any can be deleted.
 *  @throws ObjectTooLargeError */
function checkSize(text: string, change: Change): void {
  const { object, replaces } = change;
  const most =
    Math.max(maxObjectCharacters, replaces?.text.length ?? 0) + (isDeletion(change) ? deletionCharacters : 0);
  if (object !== undefined && text.length > most) throw new ObjectTooLargeError();
}

/** Without the digits of its revision, which grow by themselves. */
function lengthOf({ text, revision }: StoredEntry): number {
  return text.length - String(revision).length;
}

/** kind and apiVersion first, so that the text of a list item is the text of the object less a known prefix. */
function inWireOrder(object: KubeObject, revision: number): KubeObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata: { ...metadata, resourceVersion: String(revision) }, ...rest };
}

function eventType(change: Change): StoreEvent['type'] {
  if (change.object === undefined) return 'DELETED';
  return change.replaces === undefined ? 'ADDED' : 'MODIFIED';
}

interface StoreOptions extends SizeLimits {
  readonly journal?: Journal | undefined;
  readonly historyLimits?: HistoryLimits;
}

/** All objects, in memory, with one revision counter for all; changes are written through to a journal.
 *  Events are published, and writes acknowledged, when they are durable, in the order of their revisions. */
export class Store {
  readonly #tables = new Map<string, SortedTable<StoredEntry>>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #allListeners = new Set<Listener>();
  readonly #journal: Journal | undefined;
  readonly #history: WatchHistory;
  readonly #parsed = new ParsedObjects();
  readonly #size: StoredSize;
  #pending: Pending[] = [];
  #flushing: { readonly done: Promise<void>; readonly resolve: () => void } | undefined;
  #revision: number;
  #undoneCount = 0;

  constructor(options: StoreOptions = {}) {
    this.#journal = options.journal;
    this.#size = new StoredSize(options);
    const loaded = options.journal?.load() ?? { revision: 0, records: [] };
    this.#revision = Math.max(1, loaded.revision);
    for (const { text, ...position } of loaded.records) {
      if (text === undefined) continue;
      this.#size.add(position, text.length);
      this.#table(position.storageKey).set(this.#parsed.ofText(position, text));
    }
    this.#history = new WatchHistory(options.historyLimits ?? defaultHistoryLimits(), this.#revision);
  }

  /** The revision of the latest write. */
  get revision(): number {
    return this.#revision;
  }

  /** How many writes have been undone, because they could not be made durable. */
  get undoneCount(): number {
    return this.#undoneCount;
  }

  /** Resolves when everything written so far is durable, or undone; undefined when nothing is on its way. Await it before showing state to a
   *  client. */
  settled(): Promise<void> | undefined {
    return this.#flushing?.done;
  }

  get(storageKey: string, key: string): StoredEntry | undefined {
    return this.#tables.get(storageKey)?.get(key);
  }

  /** The entries of one type, by key. With `namespace` only those in it. */
  list(storageKey: string, namespace?: string): StoredEntry[] {
    const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}/`;
    return this.#tables.get(storageKey)?.withPrefix(prefix) ?? [];
  }

  count(storageKey: string): number {
    return this.#tables.get(storageKey)?.size ?? 0;
  }

  /** What `list` gave when `revision` was the latest; undefined when that is forgotten. */
  listAt(storageKey: string, revision: number, namespace?: string): StoredEntry[] | undefined {
    if (revision >= this.#revision) return this.list(storageKey, namespace);
    const events = this.#history.after(storageKey, revision);
    if (events === undefined) return undefined;
    if (events.length === 0) return this.list(storageKey, namespace);
    const table = new Map(this.list(storageKey, namespace).map((entry) => [entry.key, entry]));
    const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}/`;
    for (const { entry, previous } of events.reverse()) {
      if (!entry.key.startsWith(prefix)) continue;
      if (previous === undefined) table.delete(entry.key);
      else table.set(entry.key, previous);
    }
    return [...table.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** The oldest event of a type after `revision`; undefined when there is none. Whether some are forgotten is to be asked of `oldestRevision`. */
  eventAfter(storageKey: string, revision: number): StoreEvent | undefined {
    return this.#history.next(storageKey, revision);
  }

  oldestRevision(storageKey: string): number {
    return this.#history.oldestRevision(storageKey);
  }

  /** Changes state at once; the promise resolves when the change is durable, and is rejected with a StorageError when it has been undone.
   *  @throws StaleChangeError (at once) when the state is not the one the change replaces · ObjectTooLargeError
   *  · StorageError StorageFull when all objects together are too large */
  commit(change: Change): { readonly entry: StoredEntry; readonly durable: Promise<void> } {
    const { storageKey, key, replaces, object } = change;
    const current = this.#table(storageKey).get(key);
    if (current?.revision !== replaces?.revision) throw new StaleChangeError(current);
    const revision = this.#revision + 1;
    const shown = object ?? replaces?.object;
    if (shown === undefined) throw new StaleChangeError(undefined);
    const written = inWireOrder(shown, revision);
    const text = JSON.stringify(written);
    checkSize(text, change);
    this.#size.check(text, change);
    const entry = this.#parsed.ofObject({ storageKey, key, revision }, written, text);
    this.#revision = revision;
    const event: StoreEvent = { type: eventType(change), revision, entry, previous: replaces };
    this.#take(event);
    const isFreeing = isDeletion(change) || lengthOf(entry) <= (replaces === undefined ? 0 : lengthOf(replaces));
    return { entry, durable: this.#makeDurable(event, isFreeing) };
  }

  #take({ type, entry, previous }: StoreEvent): void {
    const table = this.#table(entry.storageKey);
    if (type === 'DELETED') table.delete(entry.key);
    else table.set(entry);
    this.#size.add(entry, (type === 'DELETED' ? 0 : entry.text.length) - (previous?.text.length ?? 0));
  }

  /** From now on there is no way back before the latest revision: what led to it is forgotten, as it is by a restart. */
  forgetHistory(): void {
    this.#history.forget(this.#revision);
  }

  /** Called for every later event, of one type or of all, in order. */
  subscribe(storageKey: string | undefined, listener: Listener): Disposable {
    const set = storageKey === undefined ? this.#allListeners : this.#listenersOf(storageKey);
    set.add(listener);
    return { [Symbol.dispose]: () => void set.delete(listener) };
  }

  /** Waits for what is pending and closes the journal. */
  async close(): Promise<void> {
    this.#flush();
    await this.settled();
    this.#journal?.close();
  }

  #makeDurable(event: StoreEvent, isFreeing: boolean): Promise<void> {
    if (this.#journal === undefined) {
      this.#publish(event);
      return Promise.resolve();
    }
    const { storageKey, key, revision } = event.entry;
    const text = event.type === 'DELETED' ? undefined : event.entry.text;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.push({ event, isFreeing, record: { storageKey, key, revision, text }, resolve, reject });
    if (this.#flushing === undefined) {
      const { promise: done, resolve: settle } = Promise.withResolvers<void>();
      this.#flushing = { done, resolve: settle };
      setImmediate(() => this.#flush());
    }
    return promise;
  }

  #flush(): void {
    const batch = this.#pending;
    const flushing = this.#flushing;
    if (batch.length === 0) return;
    this.#pending = [];
    this.#flushing = undefined;
    const failure = this.#append(batch);
    const written = failure === undefined ? batch : this.#appendFreeing(failure, batch);
    if (written.length < batch.length) this.#refuse(batch, { written, failure });
    for (const { event, resolve } of written) {
      this.#publish(event);
      resolve();
    }
    flushing?.resolve();
  }

  /** Returns why nothing was written. */
  #append(batch: readonly Pending[]): unknown {
    try {
      this.#journal?.append(batch.map(({ record }) => record));
      return undefined;
    } catch (thrown) {
      return thrown;
    }
  }

  /** Of a batch that the disk has no room for: what needs none in the end, and follows nothing that is refused. Returns what was written. */
  #appendFreeing(failure: unknown, batch: readonly Pending[]): readonly Pending[] {
    if (!(failure instanceof StorageError && failure.isFull)) return [];
    const refused = new Set<string>();
    const freeing = batch.filter(({ isFreeing, record: { storageKey, key } }) => {
      const place = `${storageKey} ${key}`;
      if (!isFreeing) refused.add(place);
      return !refused.has(place);
    });
    const count = this.#journal?.appendFreeing(freeing.map(({ record }) => record)) ?? 0;
    return freeing.slice(0, count);
  }

  #refuse(batch: readonly Pending[], { written, failure }: { written: readonly Pending[]; failure: unknown }): void {
    const kept = new Set(written);
    const refused = batch.filter((pending) => !kept.has(pending));
    this.#undo(refused);
    this.#revision = written.at(-1)?.event.revision ?? (batch[0]?.event.revision ?? 1) - 1;
    for (const { reject } of refused) reject(failure);
  }

  /** No watch has seen these changes: it is as if they had never been. */
  #undo(batch: readonly Pending[]): void {
    this.#undoneCount += batch.length;
    for (const { event } of batch.toReversed()) {
      const { type, entry, previous } = event;
      const table = this.#table(entry.storageKey);
      this.#size.add(entry, (previous?.text.length ?? 0) - (type === 'DELETED' ? 0 : entry.text.length));
      if (previous === undefined) table.delete(entry.key);
      else table.set(previous);
    }
  }

  #publish(event: StoreEvent): void {
    this.#history.push(event);
    const forms: EventForms = { bytes: new Map(), objects: new Map() };
    for (const listener of this.#listeners.get(event.entry.storageKey) ?? []) listener(event, forms);
    for (const listener of this.#allListeners) listener(event, forms);
  }

  #table(storageKey: string): SortedTable<StoredEntry> {
    const known = this.#tables.get(storageKey);
    if (known !== undefined) return known;
    const table = new SortedTable<StoredEntry>();
    this.#tables.set(storageKey, table);
    return table;
  }

  #listenersOf(storageKey: string): Set<Listener> {
    const known = this.#listeners.get(storageKey);
    if (known !== undefined) return known;
    const set = new Set<Listener>();
    this.#listeners.set(storageKey, set);
    return set;
  }
}
