const mebibyte = 1024 * 1024;
/** What a part costs besides its bytes. */
const partBytes = 256;
/** Text of many small values takes so many times its bytes when it is parsed, and a body of the most values that are accepted so much. */
const mostPerByte = 22;
const mostParsedBytes = 50 * mebibyte;
const sliceMs = 10;

/** How much memory reviews may take together: their bodies, and what these are parsed to. Defaults: what a container of 512 MiB has room for. */
export interface ReviewMemoryLimits {
  readonly bodyBytes: number;
  readonly parsedBytes: number;
}

/** A review, from its headers to the end of its response. */
export interface ReviewShare {
  /** Counts a part of the body that has arrived. */
  received(bytes: number): void;
  /** Calls `parse` once there is memory and processor time for it; never if the connection is closed before. */
  parse<Result>(parse: () => Result): Promise<Result>;
  end(): void;
}

interface Share {
  readonly peer: string;
  readonly close: () => void;
  bodyBytes: number;
  parsedBytes: number;
}

/** Bounds the memory and time that reviews take: any client that reaches the port may send bodies, which may stay open or have very many small values. Where
 *  bodies are too large together, the largest of the peer with the most is closed. What is parsed takes turns, the smallest first, and leaves others half of the time. */
export class ReviewMemory {
  readonly #limits: ReviewMemoryLimits;
  readonly #shares = new Set<Share>();
  readonly #waiting = new Map<Share, () => void>();
  #bodyBytes = 0;
  #parsedBytes = 0;
  #isPaused = false;

  constructor(limits: ReviewMemoryLimits = { bodyBytes: 64 * mebibyte, parsedBytes: 96 * mebibyte }) {
    this.#limits = limits;
  }

  /** Counts a review of a peer; `close` closes its connection. */
  begin(peer: string, close: () => void): ReviewShare {
    const share: Share = { peer, close, bodyBytes: 0, parsedBytes: 0 };
    this.#shares.add(share);
    return {
      received: (bytes) => this.#receive(share, bytes + partBytes),
      parse: (parse) => this.#parse(share, parse),
      end: () => this.#end(share),
    };
  }

  #receive(share: Share, bytes: number): void {
    if (!this.#shares.has(share)) return;
    share.bodyBytes += bytes;
    this.#bodyBytes += bytes;
    while (this.#bodyBytes > this.#limits.bodyBytes) {
      const largest = this.#largest();
      this.#end(largest);
      largest.close();
    }
  }

  /** The largest body of the peer with the most. */
  #largest(): Share {
    const byPeer = Map.groupBy(this.#shares, ({ peer }) => peer);
    const sum = (shares: readonly Share[]): number => shares.reduce((total, { bodyBytes }) => total + bodyBytes, 0);
    const most = [...byPeer.values()].reduce((one, other) => (sum(other) > sum(one) ? other : one));
    return most.reduce((one, other) => (other.bodyBytes > one.bodyBytes ? other : one));
  }

  async #parse<Result>(share: Share, parse: () => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.set(share, () => {
      try {
        resolve(parse());
      } catch (thrown) {
        reject(thrown as Error);
      }
    });
    this.#parseNext();
    return await promise;
  }

  #parseNext(): void {
    if (this.#isPaused) return;
    const begunMs = performance.now();
    for (let tookMs = 0; tookMs < sliceMs; tookMs = performance.now() - begunMs) if (!this.#parseSmallest()) return;
    this.#isPaused = true;
    setTimeout(() => {
      this.#isPaused = false;
      this.#parseNext();
    }, performance.now() - begunMs);
  }

  /** False where none waits, or there is no memory for the smallest. */
  #parseSmallest(): boolean {
    let chosen: Share | undefined;
    for (const share of this.#waiting.keys())
      if (chosen === undefined || share.bodyBytes < chosen.bodyBytes) chosen = share;
    if (chosen === undefined) return false;
    const bytes = Math.min(chosen.bodyBytes * mostPerByte, mostParsedBytes);
    if (this.#parsedBytes > 0 && this.#parsedBytes + bytes > this.#limits.parsedBytes) return false;
    const parse = this.#waiting.get(chosen);
    this.#waiting.delete(chosen);
    chosen.parsedBytes = bytes;
    this.#parsedBytes += bytes;
    parse?.();
    return true;
  }

  #end(share: Share): void {
    if (!this.#shares.delete(share)) return;
    this.#waiting.delete(share);
    this.#bodyBytes -= share.bodyBytes;
    this.#parsedBytes -= share.parsedBytes;
    if (this.#waiting.size > 0) this.#parseNext();
  }
}
