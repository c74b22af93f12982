/** From how many free places on they are given back. */
const maxFreePlaces = 1024;

/** A queue: what leaves it is let go of at once, though its place stays until many are free. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Removes the oldest; undefined when there is none. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > maxFreePlaces && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Those from the first on that is not before; the items must be in that order. */
  *from(isBefore: (item: T) => boolean): Generator<T> {
    let low = this.#head;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#items[middle] as T)) low = middle + 1;
      else high = middle;
    }
    for (let index = low; index < this.#items.length; index += 1) yield this.#items[index] as T;
  }
}
