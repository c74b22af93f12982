import { oldSpaceBytes } from '../../src/base/index.ts';
import { type Change, isDeletion, StorageError } from './storage.ts';

const mebibyte = 1024 * 1024;
/** What the program itself takes of the memory that V8 has. */
const ownBytes = 64 * mebibyte;
/** Of the rest: text may take two bytes a character, and what is being done needs room as well. */
const heapShare = 0.3;
/** Of all text, what one kind may have whose objects are parsed together. */
const kindShare = 0.05;
/** Characters of what is read together in a namespace: a request may have to parse them. */
const namespaceLimit = 2 * mebibyte;
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
  /** Storage keys of kinds all of whose objects in a namespace are read at each request in it. Default: none. */
  readonly readTogether?: ReadonlySet<string>;
}

interface Room {
  readonly used: number;
  readonly limit: number;
  readonly what: string;
  /** What helps, besides deleting objects. */
  readonly help: string;
}

type Place = Pick<Change, 'storageKey' | 'key'>;

function namespaceOf({ key }: Place): string {
  return key.slice(0, key.indexOf('/'));
}

/** How much text the objects have. Without a limit one user with a namespace could end the server, which would then end again whenever it reads its
 *  data folder. */
export class StoredSize {
  readonly #limit: number;
  readonly #heldTogether: ReadonlySet<string>;
  readonly #readTogether: ReadonlySet<string>;
  readonly #byKind = new Map<string, number>();
  readonly #byNamespace = new Map<string, number>();
  #all = 0;

  constructor({ maxCharacters, heldTogether = new Set(), readTogether = new Set() }: SizeLimits) {
    this.#limit = maxCharacters ?? heapRoom() * heapShare;
    this.#heldTogether = heldTogether;
    this.#readTogether = readTogether;
  }

  add(place: Place, characters: number): void {
    const { storageKey } = place;
    this.#all += characters;
    if (this.#heldTogether.has(storageKey)) this.#byKind.set(storageKey, this.#ofKind(storageKey) + characters);
    if (this.#readTogether.has(storageKey)) this.#addToNamespace(namespaceOf(place), characters);
  }

  #addToNamespace(namespace: string, characters: number): void {
    const sum = this.#ofNamespace(namespace) + characters;
    if (sum > 0) this.#byNamespace.set(namespace, sum);
    else this.#byNamespace.delete(namespace);
  }

  /** Nothing is refused that makes it smaller, and no deletion; what is written to an object while it waits for its finalizers is a change.
   *  @throws StorageError StorageFull */
  check(text: string, change: Change): void {
    const { replaces } = change;
    const added = text.length - (replaces?.text.length ?? 0);
    if (added <= 0 || isDeletion(change)) return;
    const share = replaces === undefined ? 1 : changeShare;
    const full = this.#rooms(change).find(({ used, limit }) => used + added > limit * share);
    if (full !== undefined) throw fullError(full);
  }

  #rooms(place: Place): Room[] {
    const { storageKey } = place;
    const limit = this.#limit;
    const rooms: Room[] = [{ used: this.#all, limit, what: 'all objects', help: moreMemory }];
    if (this.#heldTogether.has(storageKey)) {
      const used = this.#ofKind(storageKey);
      rooms.push({ used, limit: limit * kindShare, what: `all ${storageKey}`, help: moreMemory });
    }
    if (this.#readTogether.has(storageKey)) {
      const namespace = namespaceOf(place);
      const what = `all ${[...this.#readTogether].join(' and ')} of the namespace ${JSON.stringify(namespace)}`;
      rooms.push({ used: this.#ofNamespace(namespace), limit: namespaceLimit, what, help: fewerObjects });
    }
    return rooms;
  }

  #ofKind(storageKey: string): number {
    return this.#byKind.get(storageKey) ?? 0;
  }

  #ofNamespace(namespace: string): number {
    return this.#byNamespace.get(namespace) ?? 0;
  }
}

const moreMemory =
  'for which the server has memory: delete some, or start the server with more memory (NODE_OPTIONS=--max-old-space-size=MIB)';
const fewerObjects = 'that a request in it may have to read: delete some, or use fewer and smaller ones';

function fullError({ used, limit, what, help }: Room): StorageError {
  const size = `${Math.ceil(used / mebibyte)} MiB of ${Math.floor(limit / mebibyte)} MiB`;
  // The first words are those of kube-apiserver.
  return new StorageError('StorageFull', `etcdserver: mvcc: database space exceeded: ${what} have ${size} ${help}`);
}
