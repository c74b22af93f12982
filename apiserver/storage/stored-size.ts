import { oldSpaceBytes } from '../../src/base/index.ts';
import { type Change, isDeletion, StorageError } from './storage.ts';

const mebibyte = 1024 * 1024;
/** What the program itself takes of the memory that V8 has. */
const ownBytes = 64 * mebibyte;
/** Of the rest: text may take two bytes a character, and what is being done needs room as well. */
const heapShare = 0.3;
/** Of all text, what one kind may have whose objects are parsed together. */
const kindShare = 0.05;
/** What changes of existing objects may add when nothing more can be created: renewed Leases, conditions of controllers. */
const changeShare = 1.05;

/** What the heap of this process has beside the program. */
export function heapRoom(): number {
  return Math.max(0, oldSpaceBytes() - ownBytes);
}

/** How large the objects of a store may be together. */
export interface SizeLimits {
  /** Characters of all of them. Default: what the heap of this process has room for. */
  readonly maxCharacters?: number;
  /** Storage keys of kinds many objects of which are parsed at once. Default: none. */
  readonly heldTogether?: ReadonlySet<string>;
}

interface Room {
  readonly used: number;
  readonly limit: number;
  readonly what: string;
}

/** How much text the objects have. Without a limit one user with a namespace could end the server, which would then end again whenever it reads its
 *  data folder. */
export class StoredSize {
  readonly #limit: number;
  readonly #heldTogether: ReadonlySet<string>;
  readonly #byKind = new Map<string, number>();
  #all = 0;

  constructor({ maxCharacters, heldTogether = new Set() }: SizeLimits) {
    this.#limit = maxCharacters ?? heapRoom() * heapShare;
    this.#heldTogether = heldTogether;
  }

  add(storageKey: string, characters: number): void {
    this.#all += characters;
    if (this.#heldTogether.has(storageKey)) this.#byKind.set(storageKey, this.#ofKind(storageKey) + characters);
  }

  /** Nothing is refused that makes it smaller, and no deletion; what is written to an object while it waits for its finalizers is a change.
   *  @throws StorageError StorageFull */
  check(text: string, change: Change): void {
    const { storageKey, replaces } = change;
    const added = text.length - (replaces?.text.length ?? 0);
    if (added <= 0 || isDeletion(change)) return;
    const share = replaces === undefined ? 1 : changeShare;
    const full = this.#rooms(storageKey).find(({ used, limit }) => used + added > limit * share);
    if (full !== undefined) throw fullError(full);
  }

  #rooms(storageKey: string): Room[] {
    const all = { used: this.#all, limit: this.#limit, what: 'all objects' };
    if (!this.#heldTogether.has(storageKey)) return [all];
    return [all, { used: this.#ofKind(storageKey), limit: this.#limit * kindShare, what: `all ${storageKey}` }];
  }

  #ofKind(storageKey: string): number {
    return this.#byKind.get(storageKey) ?? 0;
  }
}

function fullError({ used, limit, what }: Room): StorageError {
  const size = `${Math.ceil(used / mebibyte)} MiB of ${Math.floor(limit / mebibyte)} MiB`;
  // The first words are those of kube-apiserver.
  const message = `etcdserver: mvcc: database space exceeded: ${what} have ${size} for which the server has memory: delete some, or start the server with more memory (NODE_OPTIONS=--max-old-space-size=MIB)`;
  return new StorageError('StorageFull', message);
}
