/** A part of a room, of one piece of work. Dispose it when the work has ended. */
export interface RoomShare extends Disposable {
  /** Counts bytes that the work is about to take.
   *  @throws the error with which the work was ended, when it was */
  take(sizeBytes: number): void;
}

interface Holder {
  sizeBytes: number;
  error: Error | undefined;
  readonly onEnd: (error: Error) => void;
}

export interface SharedRoomOptions {
  /** Of all shares together. */
  readonly maxBytes: number;
  /** The error of work that makes room for others. */
  readonly endedError: (heldBytes: number) => Error;
}

/** Room on a disk or in memory for work that goes on at the same time, some of which may never end. Where all together take more than there is, of those with
 *  at least an equal part the one that began first makes room: what is small, or has begun lately, goes on. Work that is alone is bounded by its own limits. */
export class SharedRoom {
  readonly #options: SharedRoomOptions;
  /** Those that began first come first. */
  readonly #holders = new Set<Holder>();
  #takenBytes = 0;

  constructor(options: SharedRoomOptions) {
    this.#options = options;
  }

  /** `onEnd` is called when the work has to end; what it takes afterwards is refused. */
  share(onEnd: (error: Error) => void): RoomShare {
    const holder: Holder = { sizeBytes: 0, error: undefined, onEnd };
    return {
      take: (sizeBytes) => this.#take(holder, sizeBytes),
      [Symbol.dispose]: () => this.#drop(holder),
    };
  }

  #take(holder: Holder, sizeBytes: number): void {
    if (holder.error === undefined) {
      this.#holders.add(holder);
      holder.sizeBytes += sizeBytes;
      this.#takenBytes += sizeBytes;
      while (this.#takenBytes > this.#options.maxBytes && this.#holders.size > 1) this.#endOne();
    }
    if (holder.error !== undefined) throw holder.error;
  }

  #endOne(): void {
    const partBytes = this.#takenBytes / this.#holders.size;
    const [oldest] = [...this.#holders].filter(({ sizeBytes }) => sizeBytes >= partBytes);
    if (oldest === undefined) return;
    this.#drop(oldest);
    oldest.error = this.#options.endedError(oldest.sizeBytes);
    oldest.onEnd(oldest.error);
  }

  #drop(holder: Holder): void {
    if (this.#holders.delete(holder)) this.#takenBytes -= holder.sizeBytes;
  }
}
