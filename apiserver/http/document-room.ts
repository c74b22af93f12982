import { StatusError } from '../core/index.ts';
import { heapRoom } from '../storage/index.ts';

/** What is small is not waited for: while a document is worked on, it takes about twenty times its text. */
const smallBytes = 16 * 1024;
/** Requests of one user at a time: more of them would all be late. */
const maxOfUser = 4;
const heapShare = 0.02;
const mostBytes = 32 * 1024 * 1024;

/** A request that is about to work on a document. */
export interface DocumentWork {
  /** As whom its user shares what is limited. */
  readonly sharer: string;
  /** Of its body, and of the stored object that it changes. */
  readonly bytes: number;
  /** Aborted when the request has ended. */
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly work: DocumentWork;
  readonly enter: () => void;
}

function tooLate(): StatusError {
  const message = 'request did not complete within the allotted timeout: other large requests are being answered';
  return new StatusError({ code: 504, reason: 'Timeout', message });
}

const nothing: Disposable = { [Symbol.dispose]: () => {} };

/** Room in memory for the large documents of requests: of writes, from when their bodies have arrived until they are answered, as webhooks may take
 *  long; or of lists, until they begin to be sent.
 *  A user may have some of it while half of it is free, and else one document: many who share what they have do not keep others out. */
export class DocumentRoom {
  readonly #maxBytes: number;
  /** Requests that have room, by sharer. */
  readonly #working = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #usedBytes = 0;

  /** @param maxBytes of all documents together. Default: what the heap of this process has room for. */
  constructor(maxBytes: number = Math.min(mostBytes, heapRoom() * heapShare)) {
    this.#maxBytes = maxBytes;
  }

  /** Resolves when there is room; dispose what it gives when the request is answered.
   *  @throws StatusError 504 when the request ends before */
  async enter(work: DocumentWork): Promise<Disposable> {
    if (work.bytes <= smallBytes) return nothing;
    if (this.#waiting.size > 0 || !this.#hasRoom(work)) await this.#wait(work);
    else this.#begin(work);
    return { [Symbol.dispose]: () => this.#end(work) };
  }

  async #wait(work: DocumentWork): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { work, enter: resolve };
    const leave = (): void => {
      this.#waiting.delete(waiting);
      reject(tooLate());
      this.#goOn();
    };
    if (work.signal.aborted) throw tooLate();
    work.signal.addEventListener('abort', leave, { once: true });
    this.#waiting.add(waiting);
    this.#goOn();
    try {
      await promise;
    } finally {
      work.signal.removeEventListener('abort', leave);
    }
  }

  #workingOf({ sharer }: DocumentWork): number {
    return this.#working.get(sharer) ?? 0;
  }

  #hasRoom(work: DocumentWork): boolean {
    const own = this.#workingOf(work);
    // One alone may be as large as it is.
    if (this.#usedBytes === 0) return true;
    return own < maxOfUser && this.#usedBytes + work.bytes <= (own === 0 ? this.#maxBytes : this.#maxBytes / 2);
  }

  /** Of those who wait the first one of the user who has the least in work, where that user may have more. */
  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (this.#workingOf(waiting.work) >= maxOfUser) continue;
      if (next === undefined || this.#workingOf(waiting.work) < this.#workingOf(next.work)) next = waiting;
    }
    return next;
  }

  #goOn(): void {
    for (let next = this.#next(); next !== undefined && this.#hasRoom(next.work); next = this.#next()) {
      this.#waiting.delete(next);
      this.#begin(next.work);
      next.enter();
    }
  }

  #begin(work: DocumentWork): void {
    this.#usedBytes += work.bytes;
    this.#working.set(work.sharer, this.#workingOf(work) + 1);
  }

  #end(work: DocumentWork): void {
    this.#usedBytes -= work.bytes;
    const left = this.#workingOf(work) - 1;
    if (left > 0) this.#working.set(work.sharer, left);
    else this.#working.delete(work.sharer);
    this.#goOn();
  }
}
