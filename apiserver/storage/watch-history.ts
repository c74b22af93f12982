import { Fifo } from './fifo.ts';
import type { StoreEvent } from './storage.ts';
import { heapRoom } from './stored-size.ts';

/** Bounds on remembered events; whatever is reached first drops the oldest. */
export interface HistoryLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** A small object may have replaced a large one, which is remembered as well. */
function sizeOf({ entry, previous }: StoreEvent): number {
  return Math.max(entry.text.length, previous?.text.length ?? 0);
}

const mostEntries = 100_000;
const mostBytes = 96 * 1024 * 1024;
const heapShare = 0.1;

/** In a small heap large objects are forgotten earlier: one of them, changed again and again, would fill it. */
export function defaultHistoryLimits(): HistoryLimits {
  return { entries: mostEntries, bytes: Math.min(mostBytes, heapRoom() * heapShare) };
}

/** The latest events of all types, for watches that start in the past and for lists at an older revision. */
export class WatchHistory {
  readonly #limits: HistoryLimits;
  /** Nothing at or before this revision is known (what the start of a server forgets). */
  #floor: number;
  readonly #droppedUpTo = new Map<string, number>();
  #events = new Fifo<StoreEvent>();
  #bytes = 0;

  constructor(limits: HistoryLimits, floor: number) {
    this.#limits = limits;
    this.#floor = floor;
  }

  push(event: StoreEvent): void {
    this.#events.push(event);
    this.#bytes += sizeOf(event);
    while (this.#events.size > this.#limits.entries || this.#bytes > this.#limits.bytes) {
      if (!this.#dropOldest()) break;
    }
  }

  /** Drops everything up to `revision`, the latest. */
  forget(revision: number): void {
    this.#floor = revision;
    this.#droppedUpTo.clear();
    this.#events = new Fifo();
    this.#bytes = 0;
  }

  /** The oldest revision from which every later event of the type is known. */
  oldestRevision(storageKey: string): number {
    return Math.max(this.#floor, this.#droppedUpTo.get(storageKey) ?? 0);
  }

  /** The oldest event of a type after `revision`, which must not be forgotten; undefined when there is none. */
  next(storageKey: string, revision: number): StoreEvent | undefined {
    for (const event of this.#since(storageKey, revision)) return event;
    return undefined;
  }

  /** Events of one type after `revision`, oldest first; undefined when some of them are forgotten. */
  after(storageKey: string, revision: number): StoreEvent[] | undefined {
    return revision < this.oldestRevision(storageKey) ? undefined : [...this.#since(storageKey, revision)];
  }

  *#since(storageKey: string, revision: number): Generator<StoreEvent> {
    for (const event of this.#events.from((one) => one.revision <= revision)) {
      if (event.entry.storageKey === storageKey) yield event;
    }
  }

  #dropOldest(): boolean {
    const event = this.#events.shift();
    if (event === undefined) return false;
    this.#bytes -= sizeOf(event);
    this.#droppedUpTo.set(event.entry.storageKey, event.revision);
    return true;
  }
}
