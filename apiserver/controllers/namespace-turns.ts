/** A key that waited, and of which namespace it is. */
export interface NextKey {
  readonly namespace: string;
  readonly key: string;
}

/** Keys that wait, each once. Namespaces take turns, whatever number of keys they have; those of one are in order. */
export class NamespaceTurns {
  /** The next one first. */
  readonly #namespaces = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.#namespaces.size === 0;
  }

  add(namespace: string, key: string): void {
    const keys = this.#namespaces.get(namespace) ?? new Set();
    this.#namespaces.set(namespace, keys.add(key));
  }

  /** The oldest key of the namespace whose turn it is, of those that `may` have one. */
  take(may: (namespace: string) => boolean = () => true): NextKey | undefined {
    for (const [namespace, keys] of this.#namespaces) {
      if (!may(namespace)) continue;
      const [key = ''] = keys;
      keys.delete(key);
      this.#namespaces.delete(namespace);
      if (keys.size > 0) this.#namespaces.set(namespace, keys);
      return { namespace, key };
    }
    return undefined;
  }
}
