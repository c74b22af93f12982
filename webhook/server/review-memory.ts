const mebibyte = 1024 * 1024;
/** What a part costs besides its bytes. */
const partBytes = 256;
/** Text of many small values takes so many times its bytes when it is parsed, and a body of the most values that are accepted so much. */
const mostPerByte = 22;
const mostParsedBytes = 50 * mebibyte;
const sliceMs = 10;
/** Of the limit of all bodies, what the large ones of one peer have that are read at a time. */
const peerShare = 0.5;
/** Smaller bodies do not wait. */
const smallBytes = 64 * 1024;
const tickMs = 1_000;
/** Between two ticks at least such a part of a body arrives, or it makes room for those that wait. */
const leastPart = 1 / 16;

/** How much memory reviews may take together: their bodies, and what these are parsed to. Defaults: what a container of 512 MiB has room for. */
export interface ReviewMemoryLimits {
  readonly bodyBytes: number;
  readonly parsedBytes: number;
}

/** A review whose headers have arrived. */
export interface ReviewRequest {
  /** Its address. */
  readonly peer: string;
  /** Of the body; undefined if the headers do not have it. */
  readonly bytes: number | undefined;
  /** Closes its connection. */
  readonly close: () => void;
}

/** A review, from its headers to the end of its response. */
export interface ReviewShare {
  /** Resolves once the body is to be read, until when its connection is to be paused; never if that is closed before. Undefined: at once. */
  readonly whenAdmitted: Promise<void> | undefined;
  /** Counts a part of the body that has arrived. */
  received(bytes: number): void;
  /** The body is there: calls `parse` once there is memory and processor time for it; never if the connection is closed before. */
  parse<Result>(parse: () => Result): Promise<Result>;
  end(): void;
}

interface Share {
  readonly peer: string;
  readonly close: () => void;
  /** 0 for a body that does not wait. */
  readonly largeBytes: number;
  readonly admit: () => void;
  bodyBytes: number;
  /** `bodyBytes` at the last tick; undefined if it was not admitted by then. */
  tickedBytes: number | undefined;
  isComplete: boolean;
  parsedBytes: number;
}

/** Bounds the memory and time that reviews take: any client that reaches the port may send bodies, which may stay open or have very many small values. Of the
 *  large bodies of a peer as many are read at a time as half of the limit has room for, the smallest first; where others of it wait, those that do not arrive are
 *  closed. Where the bodies of all peers are too large together, the largest of the peer with the most is closed. What is parsed takes turns, the smallest first,
 *  and leaves others half of the time. */
export class ReviewMemory {
  readonly #limits: ReviewMemoryLimits;
  /** Those whose bodies are read, or were. */
  readonly #shares = new Set<Share>();
  /** Those whose bodies are not to be read yet. */
  readonly #waiting = new Set<Share>();
  readonly #largeBytesOf = new Map<string, number>();
  readonly #unparsed = new Map<Share, () => void>();
  #bodyBytes = 0;
  #parsedBytes = 0;
  #isPaused = false;
  #isTicking = false;

  constructor(limits: ReviewMemoryLimits = { bodyBytes: 64 * mebibyte, parsedBytes: 96 * mebibyte }) {
    this.#limits = limits;
  }

  /** Counts a review. */
  begin({ peer, bytes = 0, close }: ReviewRequest): ReviewShare {
    const largeBytes = bytes > smallBytes ? bytes : 0;
    const { promise, resolve: admit } = Promise.withResolvers<void>();
    const counts = { bodyBytes: 0, tickedBytes: undefined, isComplete: false, parsedBytes: 0 };
    const share: Share = { peer, close, largeBytes, admit, ...counts };
    const isAdmitted = this.#hasRoomFor(share);
    if (isAdmitted) this.#admit(share);
    else this.#wait(share);
    return {
      whenAdmitted: isAdmitted ? undefined : promise,
      received: (part) => this.#receive(share, part + partBytes),
      parse: (parse) => this.#parse(share, parse),
      end: () => this.#end(share),
    };
  }

  #hasRoomFor({ peer, largeBytes }: Share): boolean {
    const ofPeer = this.#largeBytesOf.get(peer) ?? 0;
    return largeBytes === 0 || ofPeer === 0 || ofPeer + largeBytes <= this.#limits.bodyBytes * peerShare;
  }

  #admit(share: Share): void {
    this.#shares.add(share);
    this.#addLargeBytes(share, share.largeBytes);
    share.admit();
  }

  #addLargeBytes({ peer }: Share, bytes: number): void {
    const sum = (this.#largeBytesOf.get(peer) ?? 0) + bytes;
    if (sum > 0) this.#largeBytesOf.set(peer, sum);
    else this.#largeBytesOf.delete(peer);
  }

  #wait(share: Share): void {
    this.#waiting.add(share);
    this.#startTick();
  }

  /** The smallest of those that wait go first, as long as there is room. */
  #admitOf(peer: string): void {
    const waiting = [...this.#waiting].filter((share) => share.peer === peer);
    for (const share of waiting.toSorted((one, other) => one.largeBytes - other.largeBytes)) {
      if (!this.#hasRoomFor(share)) return;
      this.#waiting.delete(share);
      this.#admit(share);
    }
  }

  #startTick(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    for (const share of this.#shares) share.tickedBytes = share.bodyBytes;
    const begunMs = performance.now();
    setTimeout(() => {
      this.#isTicking = false;
      // Where the process itself was held up, nothing has arrived because nothing was read.
      if (performance.now() - begunMs < 2 * tickMs) this.#endSlow();
      if (this.#waiting.size > 0) this.#startTick();
    }, tickMs).unref();
  }

  /** Closes what does not arrive of peers others of which wait. */
  #endSlow(): void {
    const peers = new Set([...this.#waiting].map(({ peer }) => peer));
    for (const share of this.#shares) {
      const { peer, largeBytes, bodyBytes, tickedBytes = Number.NEGATIVE_INFINITY, isComplete } = share;
      if (!peers.has(peer) || largeBytes === 0 || isComplete) continue;
      if (bodyBytes - tickedBytes < largeBytes * leastPart) this.#close(share);
    }
  }

  #receive(share: Share, bytes: number): void {
    if (!this.#shares.has(share)) return;
    share.bodyBytes += bytes;
    this.#bodyBytes += bytes;
    while (this.#bodyBytes > this.#limits.bodyBytes) this.#close(this.#largest());
  }

  /** The largest body of the peer with the most. */
  #largest(): Share {
    const byPeer = Map.groupBy(this.#shares, ({ peer }) => peer);
    const sum = (shares: readonly Share[]): number => shares.reduce((total, { bodyBytes }) => total + bodyBytes, 0);
    const most = [...byPeer.values()].reduce((one, other) => (sum(other) > sum(one) ? other : one));
    return most.reduce((one, other) => (other.bodyBytes > one.bodyBytes ? other : one));
  }

  #close(share: Share): void {
    this.#end(share);
    share.close();
  }

  async #parse<Result>(share: Share, parse: () => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    // The end of a body may arrive after its connection was closed.
    if (!this.#shares.has(share)) return await promise;
    share.isComplete = true;
    this.#unparsed.set(share, () => {
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
    for (const share of this.#unparsed.keys())
      if (chosen === undefined || share.bodyBytes < chosen.bodyBytes) chosen = share;
    if (chosen === undefined) return false;
    const bytes = Math.min(chosen.bodyBytes * mostPerByte, mostParsedBytes);
    if (this.#parsedBytes > 0 && this.#parsedBytes + bytes > this.#limits.parsedBytes) return false;
    const parse = this.#unparsed.get(chosen);
    this.#unparsed.delete(chosen);
    chosen.parsedBytes = bytes;
    this.#parsedBytes += bytes;
    parse?.();
    return true;
  }

  #end(share: Share): void {
    this.#waiting.delete(share);
    if (!this.#shares.delete(share)) return;
    this.#unparsed.delete(share);
    this.#bodyBytes -= share.bodyBytes;
    this.#parsedBytes -= share.parsedBytes;
    this.#addLargeBytes(share, -share.largeBytes);
    this.#admitOf(share.peer);
    if (this.#unparsed.size > 0) this.#parseNext();
  }
}
