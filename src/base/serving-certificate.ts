import {
  type CertifiedKey,
  certificateExpiryMs,
  createCertificateAuthority,
  issueCertificate,
} from './certificates.ts';
import type { Clock } from './clock.ts';

const authorityLifetimeDays = 3_650;
const defaultLifetimeDays = 90;
/** Timers cannot wait for longer than 24 days at once. */
const longestSleepMs = 86_400_000;

export interface ServingCertificateOptions {
  readonly clock: Clock;
  /** Names the server in its certificate, and with ` authority` in that of its authority. */
  readonly commonName: string;
  /** Names that clients use beside `localhost`: `core.rukpak-system.svc`. */
  readonly dnsNames?: readonly string[];
  /** A certificate and its authority from outside; without it there is an own one, which is renewed. */
  readonly certificate?: (CertifiedKey & { readonly caBundlePem: string }) | undefined;
  /** Of the certificates made here. */
  readonly lifetimeDays?: number | undefined;
}

/** What a server shows to its clients. */
export interface ServingCertificate {
  /** PEM of the authority that clients must trust; stays the same. */
  readonly caBundlePem: string;
  readonly first: CertifiedKey;
  /** When the certificate in use runs out. */
  expiryMs(): number;
  /** Gives a new certificate to `install` when a third of a life is left, until the signal ends it. Nothing to do for one from outside. */
  keepFresh(install: (next: CertifiedKey) => void, signal: AbortSignal): Promise<void>;
}

async function sleepUntil(clock: Clock, whenMs: number, signal: AbortSignal): Promise<void> {
  for (let leftMs = whenMs - clock.now(); leftMs > 0; leftMs = whenMs - clock.now()) {
    await clock.sleep(Math.min(leftMs, longestSleepMs), { signal });
  }
}

/** A serving certificate for loopback and the names given, signed by an authority made for it; or the one from outside. */
export async function createServingCertificate(options: ServingCertificateOptions): Promise<ServingCertificate> {
  const { clock, certificate, commonName } = options;
  if (certificate !== undefined) {
    const expiryMs = certificateExpiryMs(certificate.certificatePem);
    return {
      caBundlePem: certificate.caBundlePem,
      first: certificate,
      expiryMs: () => expiryMs,
      keepFresh: async () => {},
    };
  }
  const lifetime = { nowMs: clock.now(), lifetimeDays: authorityLifetimeDays };
  const authority = await createCertificateAuthority({ commonName: `${commonName} authority`, ...lifetime });
  const issue = (): Promise<CertifiedKey> =>
    issueCertificate(authority, {
      commonName,
      usage: 'server',
      dnsNames: ['localhost', ...(options.dnsNames ?? [])],
      ipAddresses: ['127.0.0.1', '::1'],
      nowMs: clock.now(),
      lifetimeDays: options.lifetimeDays ?? defaultLifetimeDays,
    });
  const first = await issue();
  let expiryMs = certificateExpiryMs(first.certificatePem);
  return {
    caBundlePem: authority.certificatePem,
    first,
    expiryMs: () => expiryMs,
    keepFresh: async (install, signal) => {
      while (!signal.aborted) {
        const leftMs = expiryMs - clock.now();
        await sleepUntil(clock, expiryMs - leftMs / 3, signal);
        const next = await issue();
        install(next);
        expiryMs = certificateExpiryMs(next.certificatePem);
      }
    },
  };
}
