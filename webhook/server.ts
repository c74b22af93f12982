import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CertifiedKey, type Clock, createServingCertificate } from '../src/base/index.ts';
import { buildWebhook, type WebhookDeps } from './app.ts';

/** Where and how the webhook listens. */
export interface WebhookServerOptions extends WebhookDeps {
  readonly clock: Clock;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Names that clients use beside `localhost`: `rukpak-webhook-service.rukpak-system.svc`. */
  readonly dnsNames?: readonly string[];
  /** A serving certificate and its authority from outside; without it the server makes its own and renews it. */
  readonly certificate?: CertifiedKey & { readonly caBundlePem: string };
  /** Of the certificates that the server makes itself. */
  readonly lifetimeDays?: number;
}

/** A webhook that answers. `Symbol.asyncDispose` ends it after open requests were answered, at the latest after a second. */
export interface WebhookServer extends AsyncDisposable {
  readonly port: number;
  /** PEM of the authority that clients must trust; stays the same until the process ends. */
  readonly caBundlePem: string;
  /** When the certificate in use runs out. */
  certificateExpiryMs(): number;
}

const closeGraceMs = 1_000;

/** Listens for the API server over HTTPS.
 *  @throws Error when the port is taken */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const serving = await createServingCertificate({ commonName: 'longshore webhook', ...options });
  const { certificatePem, privateKeyPem } = serving.first;
  const app = buildWebhook(options, { cert: certificatePem, key: privateKeyPem });
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  const stop = new AbortController();
  const install = (next: CertifiedKey): void =>
    (app.server as unknown as Server).setSecureContext({ cert: next.certificatePem, key: next.privateKeyPem });
  const ended = serving.keepFresh(install, stop.signal).catch((thrown: unknown) => {
    if (!stop.signal.aborted) options.log.error({ err: thrown }, 'certificate renewal ended');
  });
  options.log.info({ host: options.host, port }, 'webhook listening');
  return {
    port,
    caBundlePem: serving.caBundlePem,
    certificateExpiryMs: () => serving.expiryMs(),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      // A client that connected and never asked would hold the server open for a minute.
      const cut = setTimeout(() => app.server.closeAllConnections(), closeGraceMs);
      await Promise.all([app.close(), ended]);
      clearTimeout(cut);
    },
  };
}
