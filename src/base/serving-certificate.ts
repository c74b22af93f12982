import {
  type CertifiedKey,
  certificateExpiryMs,
  certificateStartMs,
  createCertificateAuthority,
  issueCertificate,
} from './certificates.ts';
import type { Clock } from './clock.ts';

const authorityLifetimeDays = 3_650;
const defaultLifetimeDays = 90;
/** How long a certificate that a clock set back has made invalid stays unnoticed. */
const checkMs = 60_000;

/** A serving certificate, its key, and the authorities that clients are to trust. */
export interface ServingPair extends CertifiedKey {
  /** PEM. */
  readonly caBundlePem: string;
}

export interface ServingCertificateOptions {
  readonly clock: Clock;
  /** Names the server in its certificate, and with ` authority` in that of its authority. */
  readonly commonName: string;
  /** Names that clients use in addition to `localhost`: `core.rukpak-system.svc`. */
  readonly dnsNames?: readonly string[];
  /** Signs the certificates while it is valid; default: one made for them. */
  readonly authority?: CertifiedKey;
  /** Of the certificates made here. */
  readonly lifetimeDays?: number | undefined;
}

/** What a server shows to its clients. */
export interface ServingCertificate {
  /** The one to begin with, or the one in use by now. */
  current(): ServingPair;
  /** Gives every later certificate to `install`, until the signal ends it. */
  keepFresh(install: (next: ServingPair) => void, signal: AbortSignal): Promise<void>;
}

/** A serving certificate that is renewed from outside, by `replace`. */
export interface ReplaceableCertificate extends ServingCertificate {
  replace(next: ServingPair): void;
}

/** Resolves when a third of the certificate's life is left, or it is not valid yet because the clock was set back. */
async function whenDue(clock: Clock, certificatePem: string, signal: AbortSignal): Promise<void> {
  const [startMs, expiryMs] = [certificateStartMs(certificatePem), certificateExpiryMs(certificatePem)];
  const dueMs = expiryMs - (expiryMs - clock.now()) / 3;
  while (clock.now() < dueMs && clock.now() >= startMs) {
    await clock.sleep(Math.min(dueMs - clock.now(), checkMs), { signal });
  }
}

/** The authority of a server, whose clients trust it from now on. */
export async function createServingAuthority({
  clock,
  commonName,
}: Pick<ServingCertificateOptions, 'clock' | 'commonName'>): Promise<CertifiedKey> {
  const [nowMs, lifetimeDays] = [clock.now(), authorityLifetimeDays];
  return await createCertificateAuthority({ commonName: `${commonName} authority`, nowMs, lifetimeDays });
}

/** A serving certificate for loopback and the names given, signed by an authority made for it, or the one given; renewed when a third of a life
 *  is left, and when the clock was set back to a time before it. */
export async function createServingCertificate(options: ServingCertificateOptions): Promise<ServingCertificate> {
  const { clock, commonName } = options;
  let authority = options.authority ?? (await createServingAuthority(options));
  const issue = async (): Promise<ServingPair> => {
    if (certificateStartMs(authority.certificatePem) > clock.now()) authority = await createServingAuthority(options);
    const certified = await issueCertificate(authority, {
      commonName,
      usage: 'server',
      dnsNames: ['localhost', ...(options.dnsNames ?? [])],
      ipAddresses: ['127.0.0.1', '::1'],
      nowMs: clock.now(),
      lifetimeDays: options.lifetimeDays ?? defaultLifetimeDays,
    });
    return { ...certified, caBundlePem: authority.certificatePem };
  };
  let current = await issue();
  return {
    current: () => current,
    keepFresh: async (install, signal) => {
      while (!signal.aborted) {
        await whenDue(clock, current.certificatePem, signal);
        current = await issue();
        install(current);
      }
    },
  };
}

/** A serving certificate from outside, beginning with `first`. */
export function createReplaceableCertificate(first: ServingPair): ReplaceableCertificate {
  let current = first;
  const installers = new Set<(next: ServingPair) => void>();
  return {
    current: () => current,
    replace: (next) => {
      current = next;
      for (const install of installers) install(next);
    },
    keepFresh: async (install, signal) => {
      if (signal.aborted) return;
      installers.add(install);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      installers.delete(install);
    },
  };
}
