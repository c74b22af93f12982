import { readFile } from 'node:fs/promises';
import { type CertifiedKey, certificateExpiryMs, certificateStartMs, isServingCertificate } from './certificates.ts';
import { writeSecretFile } from './durable-files.ts';
import { isDiskFull, TerminalError } from './errors.ts';

/** The certificate and the key of a file; undefined where there is none, or not both in it. Whether they fit together is not checked.
 *  @throws errors of the file system but ENOENT */
export async function readCertifiedKey(path: string): Promise<CertifiedKey | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    const at = text.indexOf('-----BEGIN PRIVATE KEY-----');
    return at <= 0 ? undefined : { certificatePem: text.slice(0, at), privateKeyPem: text.slice(at) };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Whether a certificate that was stored is still to be used, for longer than `restMs` from now: the issuer has signed it, and it does not begin later than now,
 *  which was issued while the clock was wrong. */
export function isStillGood(
  pair: CertifiedKey,
  issuer: CertifiedKey,
  { nowMs, restMs }: { readonly nowMs: number; readonly restMs: number },
): boolean {
  const { certificatePem } = pair;
  return (
    isServingCertificate(pair, { caBundlePem: issuer.certificatePem, dnsNames: [] }) &&
    certificateStartMs(certificatePem) <= nowMs &&
    certificateExpiryMs(certificatePem) - nowMs > restMs
  );
}

/** Writes a certificate and its key into one file, so that a certificate is never beside the key of another. Only this user may read it. A full disk keeps what is
 *  there, which is returned in place of the new one while it is good. `issuer` is undefined for an authority.
 *  @throws TerminalError FileNotWritten */
export async function replaceCertifiedKey(
  path: string,
  made: CertifiedKey,
  before: {
    readonly known: CertifiedKey | undefined;
    readonly issuer?: CertifiedKey | undefined;
    readonly nowMs: number;
  },
): Promise<CertifiedKey> {
  try {
    await writeSecretFile(path, `${made.certificatePem}${made.privateKeyPem}`);
    return made;
  } catch (thrown) {
    const { known, issuer = known, nowMs } = before;
    const isFull = thrown instanceof TerminalError && isDiskFull(thrown.cause);
    if (isFull && known && issuer && isStillGood(known, issuer, { nowMs, restMs: 0 })) return known;
    throw thrown;
  }
}
