import type { JsonValue } from '../../src/base/index.ts';

/** Of the changes of one namespace, in characters. */
const maxCharacters = 100_000;

interface Pending {
  readonly texts: Set<string>;
  characters: number;
}

function remember(pending: Pending, text: string): void {
  if (pending.texts.has(text)) return;
  pending.characters += text.length;
  if (pending.characters > maxCharacters) pending.texts.clear();
  else pending.texts.add(text);
}

/** What changed in each namespace until its owners are looked at: once for any number of changes, as owners may be many and large. */
export class PendingChanges<T extends JsonValue> {
  readonly #byNamespace = new Map<string, Pending>();

  /** Answers the key of the namespace, for a queue. */
  add(namespace: string, change: T): string {
    const pending = this.#byNamespace.get(namespace) ?? { texts: new Set(), characters: 0 };
    this.#byNamespace.set(namespace, pending);
    // What is not remembered is not written out either: labels may have a megabyte.
    if (pending.characters <= maxCharacters) remember(pending, JSON.stringify(change));
    return `${namespace}/`;
  }

  /** The distinct changes since the last call. Undefined when they were too many to remember: then every owner is concerned. */
  take(namespace: string): readonly T[] | undefined {
    const { texts, characters } = this.#byNamespace.get(namespace) ?? { texts: [], characters: 0 };
    this.#byNamespace.delete(namespace);
    return characters > maxCharacters ? undefined : Array.from(texts, (text) => JSON.parse(text) as T);
  }
}
