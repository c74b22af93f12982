import { X509Certificate } from 'node:crypto';
import { readCertificateNames, splitCertificates, TerminalError } from '../base/index.ts';
import { matchesGlob } from './glob.ts';
import type { Signer } from './policy.ts';

const codeSigning = '1.3.6.1.5.5.7.3.3';
/** Fulcio: the OIDC issuer in UTF-8; the first as DER, the second, which is older, as plain bytes. */
const issuerExtensions = { der: '1.3.6.1.4.1.57264.1.8', bare: '1.3.6.1.4.1.57264.1.1' };
const maxDepth = 4;
const maxCertificates = 10;

function refuse(why: string): never {
  throw new TerminalError('UntrustedCertificate', `its certificate ${why}`);
}

function certificatesOf(pem: string): readonly X509Certificate[] {
  return splitCertificates(pem)
    .slice(0, maxCertificates)
    .map((text) => new X509Certificate(text));
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, timeMs: number): boolean {
  return validFromDate.getTime() <= timeMs && timeMs <= validToDate.getTime();
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate, timeMs: number): boolean {
  if (!issuer.ca || !isValidAt(issuer, timeMs)) return false;
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Whether a chain leads from the certificate to one of the authorities, at a time at which all of it held. */
function isTrusted(
  certificate: X509Certificate,
  { roots, others }: { readonly roots: readonly X509Certificate[]; readonly others: readonly X509Certificate[] },
  timeMs: number,
): boolean {
  let current = certificate;
  for (let depth = 0; depth < maxDepth; depth++) {
    const child = current;
    if (roots.some((root) => hasIssued(root, child, timeMs))) return true;
    const next = others.find(
      (other) => other.fingerprint256 !== child.fingerprint256 && hasIssued(other, child, timeMs),
    );
    if (next === undefined) return false;
    current = next;
  }
  return false;
}

/** An UTF8String of less than 64 KiB; what is none is bare. */
function derText(bytes: Buffer): string {
  const length = bytes[1] ?? 0;
  if (bytes[0] !== 0x0c) return bytes.toString();
  const head = length < 0x80 ? 2 : 2 + (length & 0x7f);
  return bytes.subarray(head).toString();
}

function issuerOf(extensions: ReadonlyMap<string, Buffer>): string {
  const der = extensions.get(issuerExtensions.der);
  return der === undefined ? (extensions.get(issuerExtensions.bare)?.toString() ?? '') : derText(der);
}

/** The certificate was given, at that time, by one of the signer's authorities to whom the signer names.
 *  @throws TerminalError UntrustedCertificate */
export async function assertCertificate(
  { certificatePem, chainPem }: { readonly certificatePem: string; readonly chainPem: string },
  signer: Extract<Signer, { readonly kind: 'keyless' }>,
  timeMs: number,
): Promise<void> {
  const certificate = new X509Certificate(certificatePem);
  if (!isValidAt(certificate, timeMs)) refuse('was not valid when the signature was made');
  if (!(certificate.keyUsage ?? []).includes(codeSigning)) refuse('is not a code signing certificate');
  const authorities = { roots: certificatesOf(signer.roots), others: certificatesOf(chainPem) };
  if (!isTrusted(certificate, authorities, timeMs)) refuse('is not issued by a trusted authority');
  const { names, extensions } = await readCertificateNames(certificatePem);
  const issuer = issuerOf(extensions);
  if (issuer !== signer.issuer) refuse(`has the issuer "${issuer.slice(0, 200)}", expected "${signer.issuer}"`);
  if (names.some((name) => matchesGlob(signer.subject, name))) return;
  refuse(
    `has the subject ${names.map((name) => JSON.stringify(name.slice(0, 200))).join(', ')}, expected "${signer.subject}"`,
  );
}
