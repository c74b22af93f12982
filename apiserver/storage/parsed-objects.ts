import type { KubeObject } from '../core/index.ts';
import { Fifo } from './fifo.ts';
import type { StoredEntry } from './storage.ts';
import { heapRoom } from './stored-size.ts';

/** Text whose objects stay parsed, in characters. */
const mostCharacters = 8 * 1024 * 1024;
/** Objects of many small values take twenty times their text. */
const heapShare = 0.01;

interface Position {
  readonly storageKey: string;
  readonly key: string;
  readonly revision: number;
}

/** An entry that keeps its text, and its object for as long as there is room for it. */
class LazyEntry implements StoredEntry {
  readonly storageKey: string;
  readonly key: string;
  readonly revision: number;
  readonly text: string;
  readonly #parsed: ParsedObjects;
  #object: KubeObject | undefined;
  #isUsed = false;

  constructor(position: Position, text: string, parsed: ParsedObjects) {
    this.storageKey = position.storageKey;
    this.key = position.key;
    this.revision = position.revision;
    this.text = text;
    this.#parsed = parsed;
  }

  get object(): KubeObject {
    this.#isUsed = true;
    if (this.#object !== undefined) return this.#object;
    const object = JSON.parse(this.text) as KubeObject;
    this.keep(object);
    return object;
  }

  keep(object: KubeObject): void {
    this.#object = object;
    this.#parsed.enter(this);
  }

  /** Lets go of the object, unless it was used since the last time; answers whether it did. */
  release(): boolean {
    if (this.#isUsed) {
      this.#isUsed = false;
      return false;
    }
    this.#object = undefined;
    return true;
  }
}

/** Makes entries, and bounds how many of them hold a parsed object beside their text: memory grows with the text of what is stored, not with the
 *  much larger objects. Those used most lately stay. */
export class ParsedObjects {
  readonly #budget: number;
  readonly #queue = new Fifo<LazyEntry>();
  #size = 0;

  constructor(budget: number = Math.min(mostCharacters, heapRoom() * heapShare)) {
    this.#budget = budget;
  }

  /** An entry whose object is parsed on first access. */
  ofText(position: Position, text: string): StoredEntry {
    return new LazyEntry(position, text, this);
  }

  /** An entry of an object that is at hand; `text` is its JSON. */
  ofObject(position: Position, object: KubeObject, text: string): StoredEntry {
    const entry = new LazyEntry(position, text, this);
    entry.keep(object);
    return entry;
  }

  /** Called by entries that hold an object from now on. */
  enter(entry: LazyEntry): void {
    this.#queue.push(entry);
    this.#size += entry.text.length;
    // Each entry gets one second chance, so this ends.
    for (let tries = this.#queue.size; this.#size > this.#budget && tries > 0; tries -= 1) {
      this.#releaseFirst();
    }
  }

  #releaseFirst(): void {
    const entry = this.#queue.shift();
    if (entry === undefined) return;
    if (entry.release()) this.#size -= entry.text.length;
    else this.#queue.push(entry);
  }
}
