/** Up to so many wait in the order in which they came. */
const shortLength = 16;

/** Items that wait, each at most once. Where very many do, every other one that is taken is the one that came last: one that is new hardly waits, however many
 *  there are, and those that wait longest have their turn all the same. */
export class LongQueue<Item> {
  readonly #waiting = new Set<Item>();
  /** In the order in which they came, with some that do not wait any more. */
  #items: Item[] = [];
  #isForNewest = false;

  get size(): number {
    return this.#waiting.size;
  }

  /** The one that waits longest. */
  get oldest(): Item | undefined {
    const [oldest] = this.#waiting;
    return oldest;
  }

  add(item: Item): void {
    if (this.#waiting.has(item)) return;
    this.#waiting.add(item);
    this.#items.push(item);
  }

  delete(item: Item): void {
    this.#waiting.delete(item);
    if (this.#items.length > 2 * this.#waiting.size + shortLength) this.#items = [...this.#waiting];
  }

  /** The next one, which does not wait any more; undefined when none does. */
  take(): Item | undefined {
    const item = this.#next();
    if (item === undefined) return undefined;
    this.#isForNewest = !this.#isForNewest;
    this.delete(item);
    return item;
  }

  #next(): Item | undefined {
    if (!this.#isForNewest || this.#waiting.size <= shortLength) return this.oldest;
    for (let item = this.#items.at(-1); item !== undefined; item = this.#items.at(-1)) {
      if (this.#waiting.has(item)) return item;
      this.#items.pop();
    }
    return this.oldest;
  }
}
