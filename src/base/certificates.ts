import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { loadCertificateLibrary } from './certificate-library.ts';

const dayMs = 86_400_000;
const clockSkewMs = 5 * 60_000;
/** Certificates from that of a server to its authority. */
const maxChain = 6;
/** ECDSA P-256, of every key that is made here. */
export const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate and its private key, both PEM. */
export interface CertifiedKey {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  /** Kubernetes reads groups from these. */
  readonly organizations?: readonly string[];
  readonly usage: 'server' | 'client';
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly nowMs: number;
  readonly lifetimeDays: number;
}

function distinguishedName(commonName: string, organizations: readonly string[]): string {
  const escape = (text: string): string => text.replace(/[,\\#+<>;"=]/g, (character) => `\\${character}`);
  return [...organizations.map((name) => `O=${escape(name)}`), `CN=${escape(commonName)}`].join(', ');
}

function validity(nowMs: number, lifetimeDays: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(nowMs - clockSkewMs), notAfter: new Date(nowMs + lifetimeDays * dayMs) };
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{1,64}/g, '$&\n')}-----END PRIVATE KEY-----\n`;
}

/** The private key of an authority, ready to sign. */
export async function importSigningKey(privateKeyPem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(privateKeyPem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  return await webcrypto.subtle.importKey('pkcs8', der, signingAlgorithm, false, ['sign']);
}

/** A self-signed certificate authority, ECDSA P-256. */
export async function createCertificateAuthority(options: {
  readonly commonName: string;
  readonly nowMs: number;
  readonly lifetimeDays: number;
}): Promise<CertifiedKey> {
  const x509 = await loadCertificateLibrary();
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(16).toString('hex'),
    name: distinguishedName(options.commonName, []),
    ...validity(options.nowMs, options.lifetimeDays),
    signingAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem: await exportKey(keys.privateKey) };
}

/** A certificate signed by `authority`, ECDSA P-256. */
export async function issueCertificate(authority: CertifiedKey, request: CertificateRequest): Promise<CertifiedKey> {
  const x509 = await loadCertificateLibrary();
  const issuer = new x509.X509Certificate(authority.certificatePem);
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const names = [
    ...(request.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(request.ipAddresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const extendedUsage =
    request.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(16).toString('hex'),
    subject: distinguishedName(request.commonName, request.organizations ?? []),
    issuer: issuer.subject,
    ...validity(request.nowMs, request.lifetimeDays),
    signingAlgorithm,
    publicKey: keys.publicKey,
    signingKey: await importSigningKey(authority.privateKeyPem),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([extendedUsage]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
    ],
  });
  return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem: await exportKey(keys.privateKey) };
}

/** When the first certificate of a PEM text runs out, in milliseconds since the epoch. */
export function certificateExpiryMs(certificatePem: string): number {
  return new X509Certificate(certificatePem).validToDate.getTime();
}

/** When the first certificate of a PEM text began to hold, in milliseconds since the epoch. */
export function certificateStartMs(certificatePem: string): number {
  return new X509Certificate(certificatePem).validFromDate.getTime();
}

/** The single certificates of a PEM text. */
export function splitCertificates(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? [];
}

/** Whether an authority has signed the certificate, or one of those between them that `chain` has. */
function isSignedByOne(
  certificate: X509Certificate,
  chain: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): boolean {
  let current: X509Certificate | undefined = certificate;
  for (let depth = 0; depth < maxChain && current !== undefined; depth++) {
    const child: X509Certificate = current;
    if (authorities.some(({ publicKey }) => child.verify(publicKey))) return true;
    current = chain.find((one) => one.ca && child.checkIssued(one) && child.verify(one.publicKey));
  }
  return false;
}

/** Whether a server may show the certificate, the first of its text: it has the key, one of the authorities has signed it, perhaps by way of
 *  others that follow it, and it is for all of the names. False for anything that is not a certificate or key. */
export function isServingCertificate(
  { certificatePem, privateKeyPem }: CertifiedKey,
  expected: { readonly caBundlePem: string; readonly dnsNames: readonly string[] },
): boolean {
  try {
    const certificate = new X509Certificate(certificatePem);
    const parse = (pem: string): X509Certificate[] => splitCertificates(pem).map((text) => new X509Certificate(text));
    return (
      certificate.checkPrivateKey(createPrivateKey(privateKeyPem)) &&
      isSignedByOne(certificate, parse(certificatePem).slice(1, maxChain), parse(expected.caBundlePem)) &&
      expected.dnsNames.every((name) => certificate.checkHost(name) !== undefined)
    );
  } catch {
    return false;
  }
}
