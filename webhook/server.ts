import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  type CertifiedKey,
  type Clock,
  certificateExpiryMs,
  createCertificateAuthority,
  issueCertificate,
} from '../src/base/index.ts';
import { buildWebhook, type WebhookDeps } from './app.ts';

const authorityLifetimeDays = 3_650;
const defaultLifetimeDays = 90;
/** Timers cannot wait for longer than 24 days at once. */
const longestSleepMs = 86_400_000;

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

/** A webhook that answers. `Symbol.asyncDispose` ends it after open requests were answered. */
export interface WebhookServer extends AsyncDisposable {
  readonly port: number;
  /** PEM of the authority that clients must trust; stays the same until the process ends. */
  readonly caBundlePem: string;
  /** When the certificate in use runs out. */
  certificateExpiryMs(): number;
}

interface Issuer {
  readonly caBundlePem: string;
  issue(): Promise<CertifiedKey>;
}

async function createIssuer(options: WebhookServerOptions): Promise<Issuer> {
  const { certificate, clock } = options;
  if (certificate !== undefined) {
    return { caBundlePem: certificate.caBundlePem, issue: () => Promise.resolve(certificate) };
  }
  const commonName = 'longshore webhook authority';
  const authority = await createCertificateAuthority({
    commonName,
    nowMs: clock.now(),
    lifetimeDays: authorityLifetimeDays,
  });
  const issue = (): Promise<CertifiedKey> =>
    issueCertificate(authority, {
      commonName: 'longshore webhook',
      usage: 'server',
      dnsNames: ['localhost', ...(options.dnsNames ?? [])],
      ipAddresses: ['127.0.0.1', '::1'],
      nowMs: clock.now(),
      lifetimeDays: options.lifetimeDays ?? defaultLifetimeDays,
    });
  return { caBundlePem: authority.certificatePem, issue };
}

async function sleepUntil(clock: Clock, whenMs: number, signal: AbortSignal): Promise<void> {
  for (let leftMs = whenMs - clock.now(); leftMs > 0; leftMs = whenMs - clock.now()) {
    await clock.sleep(Math.min(leftMs, longestSleepMs), { signal });
  }
}

/** The certificate in use, replaced when a third of its life is left; connections stay open. */
class CertificateKeeper {
  readonly #clock: Clock;
  readonly #issuer: Issuer;
  #expiryMs: number;

  constructor(clock: Clock, issuer: Issuer, first: CertifiedKey) {
    this.#clock = clock;
    this.#issuer = issuer;
    this.#expiryMs = certificateExpiryMs(first.certificatePem);
  }

  get expiryMs(): number {
    return this.#expiryMs;
  }

  /** Runs until `signal` ends it. */
  async renew(server: Server, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const leftMs = this.#expiryMs - this.#clock.now();
      await sleepUntil(this.#clock, this.#expiryMs - leftMs / 3, signal);
      const next = await this.#issuer.issue();
      server.setSecureContext({ cert: next.certificatePem, key: next.privateKeyPem });
      this.#expiryMs = certificateExpiryMs(next.certificatePem);
    }
  }
}

/** Listens for the API server over HTTPS.
 *  @throws Error when the port is taken */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const issuer = await createIssuer(options);
  const first = await issuer.issue();
  const app = buildWebhook(options, { cert: first.certificatePem, key: first.privateKeyPem });
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  const keeper = new CertificateKeeper(options.clock, issuer, first);
  const stop = new AbortController();
  const renewal =
    options.certificate === undefined ? keeper.renew(app.server as unknown as Server, stop.signal) : Promise.resolve();
  const ended = renewal.catch((thrown: unknown) => {
    if (!stop.signal.aborted) options.log.error({ err: thrown }, 'certificate renewal ended');
  });
  options.log.info({ host: options.host, port }, 'webhook listening');
  return {
    port,
    caBundlePem: issuer.caBundlePem,
    certificateExpiryMs: () => keeper.expiryMs,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.all([app.close(), ended]);
    },
  };
}
