import { StatusError } from '../core/index.ts';

/** How many forwarded requests may be open: watches and upgraded connections stay open for hours. */
interface ForwardBounds {
  readonly maxRequests: number;
  readonly maxPerUser: number;
}

const defaultBounds: ForwardBounds = { maxRequests: 4_000, maxPerUser: 1_000 };

function tooMany(message: string): StatusError {
  return new StatusError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds: 1 } });
}

/** Bounds the requests that wait for extension servers, all of them together. */
export class ForwardLimits {
  readonly #bounds: ForwardBounds;
  readonly #perUser = new Map<string, number>();
  #open = 0;

  constructor(bounds: ForwardBounds = defaultBounds) {
    this.#bounds = bounds;
  }

  /** Counts a request until it is disposed.
   *  @throws StatusError 429 */
  begin(user: string): Disposable {
    const own = this.#perUser.get(user) ?? 0;
    if (own >= this.#bounds.maxPerUser)
      throw tooMany(`user "${user}" has ${own} requests open at extension API servers`);
    if (this.#open >= this.#bounds.maxRequests) {
      throw tooMany(`${this.#open} requests are open at extension API servers: try again later`);
    }
    this.#open += 1;
    this.#perUser.set(user, own + 1);
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (isOpen) this.#end(user);
        isOpen = false;
      },
    };
  }

  #end(user: string): void {
    this.#open -= 1;
    const left = (this.#perUser.get(user) ?? 1) - 1;
    if (left > 0) this.#perUser.set(user, left);
    else this.#perUser.delete(user);
  }
}
