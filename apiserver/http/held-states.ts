import { heapRoom, type Store, type StoredEntry } from '../storage/index.ts';
import type { TransferLimits } from './transfer-limits.ts';

const entryBytes = 8;
const mostReplaced: number = 256 * 1024 * 1024;
const heapShare = 0.2;

/** Characters of objects that are stored no more, and stay because a state that has them is still being sent: as many as the heap has room for. */
function defaultMaxReplaced(): number {
  return Math.min(mostReplaced, heapRoom() * heapShare);
}

interface HeldState {
  readonly replacedBefore: number;
  readonly cut: () => void;
}

/** Bounds what collections cost that are being sent as they were at one moment, to clients that read slowly: their lists of entries, and the
 *  objects that have been replaced since. Where these are too much, the oldest state is cut off; its client asks again. */
export class HeldStates {
  readonly #transfers: TransferLimits;
  readonly #maxReplaced: number;
  /** The oldest first. */
  readonly #states = new Set<HeldState>();
  #replaced = 0;

  constructor(store: Pick<Store, 'subscribe'>, transfers: TransferLimits, maxReplaced: number = defaultMaxReplaced()) {
    this.#transfers = transfers;
    this.#maxReplaced = maxReplaced;
    store.subscribe(undefined, ({ previous }) => this.#count(previous));
  }

  /** Counts a state until it is disposed of; `cut` ends its sending.
   *  @throws StatusError 429 */
  begin(entries: readonly StoredEntry[], cut: () => void): Disposable {
    const state: HeldState = { replacedBefore: this.#replaced, cut };
    const held = this.#transfers.begin(() => this.#end(state));
    held.grow(entries.length * entryBytes);
    this.#states.add(state);
    return {
      [Symbol.dispose]: () => {
        this.#states.delete(state);
        held[Symbol.dispose]();
      },
    };
  }

  #end(state: HeldState): void {
    this.#states.delete(state);
    state.cut();
  }

  /** What was replaced since the oldest state began is the most that all of them hold beside what is stored. */
  #count(previous: StoredEntry | undefined): void {
    if (previous === undefined) return;
    this.#replaced += previous.text.length;
    for (const state of this.#states) {
      if (this.#replaced - state.replacedBefore <= this.#maxReplaced) return;
      this.#end(state);
    }
  }
}
