/** Values sorted by key (by UTF-16 code unit, which for object names is bytewise). */
export class SortedTable<T extends { readonly key: string }> {
  readonly #byKey = new Map<string, T>();
  #sorted: T[] = [];

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  set(value: T): void {
    const index = this.#indexOf(value.key);
    const isKnown = this.#byKey.has(value.key);
    this.#byKey.set(value.key, value);
    if (isKnown) this.#sorted[index] = value;
    else if (index === this.#sorted.length) this.#sorted.push(value);
    else this.#sorted.splice(index, 0, value);
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    this.#sorted.splice(this.#indexOf(key), 1);
  }

  /** The values whose key starts with `prefix`, in order; a copy. */
  withPrefix(prefix: string): T[] {
    if (prefix === '') return this.#sorted.slice();
    return this.#sorted.slice(this.#indexOf(prefix), this.#indexOf(`${prefix}\uffff`));
  }

  /** Index of the first value whose key is not below `key`. */
  #indexOf(key: string): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const value = this.#sorted[middle];
      if (value !== undefined && value.key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
