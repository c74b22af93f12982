/** How far the bytes of a blob have arrived in its file, for one who reads them meanwhile. What was read counts once the blob is verified. */
export class Arrivals {
  /** Ends the reading. */
  readonly signal: AbortSignal;
  #endOffset = 0;
  #isDiscarded = false;
  #isVerified = false;
  #next = Promise.withResolvers<void>();

  constructor(signal: AbortSignal) {
    this.signal = signal;
    signal.addEventListener('abort', () => this.#next.resolve(), { once: true });
  }

  /** Whether what was read is what was verified. */
  get isVerified(): boolean {
    return this.#isVerified && !this.#isDiscarded;
  }

  /** All bytes before `endOffset` can be read. */
  reach(endOffset: number): void {
    this.#endOffset = endOffset;
    this.#next.resolve();
  }

  /** The bytes are thrown away; others may follow, which are not read. */
  discard(): void {
    if (this.#endOffset > 0) this.#isDiscarded = true;
  }

  /** The bytes in the file are the blob. */
  verify(): void {
    this.#isVerified = true;
  }

  /** Where the bytes end, as soon as that is beyond `offset`.
   *  @throws the reason of `signal` */
  async beyond(offset: number): Promise<number> {
    for (;;) {
      this.signal.throwIfAborted();
      if (this.#endOffset > offset && !this.#isDiscarded) return this.#endOffset;
      await this.#next.promise;
      this.#next = Promise.withResolvers();
    }
  }
}
