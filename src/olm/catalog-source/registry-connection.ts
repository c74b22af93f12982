import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import type { CatalogConnectionState } from '../../api/index.ts';
import { type Clock, errorMessage, TerminalError } from '../../base/index.ts';
import { backOffMs } from '../../controller/index.ts';
import { resolveRegistryAddress } from '../catalog-content/registry-address.ts';
import { LimitedStream } from './limited-stream.ts';

const connectDeadlineMs = 20_000;
/** Of TCP: servers of gRPC disconnect clients that ping without a call. */
const keepaliveMs = 30_000;
const backOff = { minMs: 1_000, maxMs: 60_000 };
/** A connection that lasts shorter counts as a failed attempt: what is served is read again after each. */
const lastingMs = 60_000;

const socketOptions = { keepAlive: true, keepAliveInitialDelay: keepaliveMs, noDelay: true };

interface ConnectionOptions {
  /** `HOST:PORT` */
  readonly address: string;
  readonly clock: Clock;
  /** Must only enqueue. */
  readonly onChange: () => void;
}

/** Resolves when the server speaks HTTP/2. */
async function untilConnected(session: ClientHttp2Session): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  session.once('remoteSettings', () => resolve());
  session.once('close', () => reject(new Error('the connection was closed')));
  session.once('error', reject);
  session.setTimeout(connectDeadlineMs, () => session.destroy(new Error('no answer')));
  await promise;
  session.setTimeout(0);
}

async function untilLost(session: ClientHttp2Session): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  session.once('goaway', () => session.close());
  session.once('close', () => resolve());
  if (session.destroyed) resolve();
  await promise;
}

/** Keeps a connection to a registry, on which nothing is sent: once it was lost and is back, the registry may serve something else. */
export class RegistryConnection implements Disposable {
  readonly address: string;
  readonly #options: ConnectionOptions;
  readonly #stop = new AbortController();
  #state: CatalogConnectionState = 'CONNECTING';
  #problem: string | undefined;
  #epoch = 0;

  constructor(options: ConnectionOptions) {
    this.address = options.address;
    this.#options = options;
    this.#run().catch(() => undefined);
  }

  get state(): CatalogConnectionState {
    return this.#state;
  }

  /** Why the last attempt failed; undefined while there is a connection. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** How many connections there have been. */
  get epoch(): number {
    return this.#epoch;
  }

  [Symbol.dispose](): void {
    this.#state = 'SHUTDOWN';
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const startedMs = clock.now();
        await this.#connectOnce();
        failures = clock.now() - startedMs < lastingMs ? failures + 1 : 1;
        this.#become('CONNECTING');
      } catch (thrown) {
        if (signal.aborted) return;
        this.#problem = errorMessage(thrown);
        this.#become('TRANSIENT_FAILURE');
        // Nothing but another address helps.
        if (thrown instanceof TerminalError && thrown.reason === 'InvalidAddress') return;
        failures += 1;
      }
      await clock.sleep(backOffMs(failures, backOff), { signal });
    }
  }

  /** Ends when the connection is lost. @throws what connecting throws */
  async #connectOnce(): Promise<void> {
    const { signal } = this.#stop;
    const [endpoint] = await resolveRegistryAddress(this.address, signal);
    if (endpoint === undefined) throw new Error(`${this.address}: no address`);
    signal.throwIfAborted();
    const socket = connectSocket({ ...socketOptions, host: endpoint.address, port: endpoint.port });
    const session = connect(`http://${this.address}`, {
      createConnection: () => new LimitedStream(socket, this.#options.clock),
    });
    // Whatever it is, the session closes after it.
    session.on('error', () => undefined);
    session.on('stream', (stream) => stream.destroy());
    session.unref();
    socket.unref();
    const onAbort = (): void => session.destroy();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await untilConnected(session);
      this.#epoch += 1;
      this.#problem = undefined;
      this.#become('READY');
      await untilLost(session);
    } finally {
      // A registry that is away for days is tried many times.
      signal.removeEventListener('abort', onAbort);
      session.destroy();
    }
  }

  #become(state: CatalogConnectionState): void {
    if (this.#stop.signal.aborted || this.#state === state) return;
    this.#state = state;
    this.#options.onChange();
  }
}
