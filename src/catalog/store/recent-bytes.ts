/** Encoded values that were used last, up to a total size. A value of more than an eighth of it is not kept. */
export class RecentBytes<Key> {
  readonly #maxBytes: number;
  readonly #values = new Map<Key, Uint8Array>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: Key): Uint8Array | undefined {
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, found);
    return found;
  }

  add(key: Key, value: Uint8Array): void {
    if (value.length > this.#maxBytes / 8 || this.#values.has(key)) return;
    this.#values.set(key, value);
    this.#bytes += value.length;
    for (const [oldest, { length }] of this.#values) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#values.delete(oldest);
      this.#bytes -= length;
    }
  }
}
