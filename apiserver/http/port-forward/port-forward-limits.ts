import { StatusError } from '../../core/index.ts';

/** How many port-forwards may be open: tunnels are connections of clients, each with any number of connections to a pod's ports. */
interface PortForwardBounds {
  readonly maxTunnels: number;
  readonly maxPerUser: number;
  readonly maxConnections: number;
}

const defaultBounds: PortForwardBounds = { maxTunnels: 128, maxPerUser: 64, maxConnections: 512 };

function tooMany(message: string): StatusError {
  return new StatusError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds: 10 } });
}

/** Bounds what all port-forwards of a server cost together. */
export class PortForwardLimits {
  readonly #bounds: PortForwardBounds;
  readonly #perUser = new Map<string, number>();
  #tunnels = 0;
  #connections = 0;

  constructor(bounds: PortForwardBounds = defaultBounds) {
    this.#bounds = bounds;
  }

  /** Counts a tunnel until it is disposed.
   *  @throws StatusError 429 */
  beginTunnel(user: string): Disposable {
    const own = this.#perUser.get(user) ?? 0;
    if (own >= this.#bounds.maxPerUser) throw tooMany(`user "${user}" has ${own} port-forwards open: end some`);
    if (this.#tunnels >= this.#bounds.maxTunnels) {
      throw tooMany(`the server has ${this.#tunnels} port-forwards open: try again later`);
    }
    this.#tunnels += 1;
    this.#perUser.set(user, own + 1);
    return onceDisposed(() => {
      this.#tunnels -= 1;
      const left = (this.#perUser.get(user) ?? 1) - 1;
      if (left > 0) this.#perUser.set(user, left);
      else this.#perUser.delete(user);
    });
  }

  /** Counts a connection to a port until it is disposed; undefined when there are too many. */
  beginConnection(): Disposable | undefined {
    if (this.#connections >= this.#bounds.maxConnections) return undefined;
    this.#connections += 1;
    return onceDisposed(() => {
      this.#connections -= 1;
    });
  }
}

function onceDisposed(end: () => void): Disposable {
  let isOpen = true;
  return {
    [Symbol.dispose]: () => {
      if (isOpen) end();
      isOpen = false;
    },
  };
}
