import { StatusError } from '../core/index.ts';

interface TransferBounds {
  readonly maxBytes: number;
  /** In which a client has to read a response. */
  readonly maxResponseMs: number;
}

const mebibyte = 1024 * 1024;
/** As kube-apiserver gives a request a minute, its response included. */
const defaultTransferBounds: TransferBounds = { maxBytes: 256 * mebibyte, maxResponseMs: 60_000 };

interface Transfer {
  bytes: number;
  /** Ends the transfer; undefined while that would free nothing. */
  readonly cut: (() => void) | undefined;
}

/** Bytes of a body that are held in memory until it has arrived, or was sent. */
export interface HeldBytes extends Disposable {
  /** @throws StatusError 429 when others hold too much */
  grow(bytes: number): void;
}

/** Bounds the request bodies that have not arrived in full and the responses that clients have not read, all of them together. Where there is too much,
 *  the oldest ones end: who reads and writes is done long before that. */
export class TransferLimits {
  readonly #bounds: TransferBounds;
  /** The oldest first. */
  readonly #transfers = new Set<Transfer>();
  #bytes = 0;

  constructor({ maxBytes, maxResponseMs }: { readonly [K in keyof TransferBounds]?: number | undefined } = {}) {
    this.#bounds = {
      maxBytes: maxBytes ?? defaultTransferBounds.maxBytes,
      maxResponseMs: maxResponseMs ?? defaultTransferBounds.maxResponseMs,
    };
  }

  get maxResponseMs(): number {
    return this.#bounds.maxResponseMs;
  }

  begin(cut?: () => void): HeldBytes {
    const transfer: Transfer = { bytes: 0, cut };
    this.#transfers.add(transfer);
    return {
      grow: (bytes) => this.#grow(transfer, bytes),
      [Symbol.dispose]: () => this.#end(transfer),
    };
  }

  #grow(transfer: Transfer, bytes: number): void {
    if (!this.#transfers.has(transfer)) return;
    transfer.bytes += bytes;
    this.#bytes += bytes;
    for (const other of this.#transfers) {
      // One alone may be as large as it is.
      if (this.#bytes <= this.#bounds.maxBytes || this.#bytes === transfer.bytes) return;
      if (other === transfer || other.cut === undefined) continue;
      this.#end(other);
      other.cut();
    }
    if (this.#bytes <= this.#bounds.maxBytes || this.#bytes === transfer.bytes) return;
    this.#end(transfer);
    const message = 'too many large requests and responses at once: try again later';
    throw new StatusError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds: 1 } });
  }

  #end(transfer: Transfer): void {
    if (this.#transfers.delete(transfer)) this.#bytes -= transfer.bytes;
  }
}
