import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  type Clock,
  type ConnectionLimits,
  createServingCertificate,
  limitConnections,
  type ServingCertificate,
  type ServingPair,
} from '../../src/base/index.ts';
import { buildWebhook, type WebhookDeps } from './app.ts';

/** Where and how the webhook listens. */
export interface WebhookServerOptions extends WebhookDeps {
  readonly clock: Clock;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Default: a certificate for loopback that the server issues and renews itself. */
  readonly serving?: ServingCertificate;
  /** Of certificates that the server issues itself. */
  readonly lifetimeDays?: number;
  /** Default: those of production. */
  readonly connectionLimits?: ConnectionLimits;
}

/** A running webhook. `Symbol.asyncDispose` stops it once open requests are answered, after ten seconds at the latest. */
export interface WebhookServer extends AsyncDisposable {
  readonly port: number;
  /** PEM of the authorities that clients must trust. */
  caBundlePem(): string;
  /** Keeps answering, and closes keep-alive connections after their next response. */
  drain(): void;
}

/** Longer than an answer may take. */
const closeGraceMs = 10_000;
const unusedGraceMs = 1_000;
/** An API server opens a connection for each concurrent review: up to 200 for writes. */
const connectionLimits: ConnectionLimits = {
  maxConnections: 768,
  maxPerPeer: 256,
  firstRequestMs: 10_000,
  requestMs: 20_000,
  slowMs: 5_000,
};
const maxHeaderSize = 16 * 1024;
const headersDeadlineMs = 10_000;
const handshakeDeadlineMs = 5_000;

/** Requests that are being answered. */
class OpenRequests {
  #count = 0;
  #onNone: (() => void) | undefined;
  isDraining = false;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#onNone?.();
  }

  /** Resolves when there is none, or after `graceMs`. */
  async whenNone(graceMs: number): Promise<void> {
    if (this.#count === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onNone = resolve;
    const timer = setTimeout(resolve, graceMs);
    await promise;
    clearTimeout(timer);
  }
}

/** Listens for the API server over HTTPS.
 *  @throws Error when the port is taken */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const serving = options.serving ?? (await createServingCertificate({ commonName: 'longshore webhook', ...options }));
  const tlsOf = ({ certificatePem: cert, privateKeyPem: key }: ServingPair) =>
    ({ cert, key, minVersion: 'TLSv1.2', maxHeaderSize, handshakeTimeout: handshakeDeadlineMs }) as const;
  const app = buildWebhook(options, tlsOf(serving.current()));
  const open = new OpenRequests();
  app.addHook('onRequest', async (request, reply) => {
    open.begin();
    reply.raw.once('close', () => open.end());
    if (open.isDraining) reply.header('connection', 'close');
  });
  limitConnections(app.server, options.connectionLimits ?? connectionLimits);
  Object.assign(app.server, { headersTimeout: headersDeadlineMs });
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  const stop = new AbortController();
  const install = (next: ServingPair): void => (app.server as unknown as Server).setSecureContext(tlsOf(next));
  const ended = serving.keepFresh(install, stop.signal).catch((thrown: unknown) => {
    if (!stop.signal.aborted) options.log.error({ err: thrown }, 'certificate renewal ended');
  });
  options.log.info({ host: options.host, port }, 'webhook listening');
  return {
    port,
    caBundlePem: () => serving.current().caBundlePem,
    drain: () => {
      open.isDraining = true;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      open.isDraining = true;
      await open.whenNone(closeGraceMs);
      // A client that connected and sent no request would delay the shutdown for a minute.
      const cut = setTimeout(() => app.server.closeAllConnections(), unusedGraceMs);
      await Promise.all([app.close(), ended]);
      clearTimeout(cut);
    },
  };
}
