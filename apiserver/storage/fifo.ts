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

  *newestFirst(): Generator<T> {
    for (let index = this.#items.length - 1; index >= this.#head; index -= 1) yield this.#items[index] as T;
  }
}
