import type { KeyObject } from 'node:crypto';
import { createHash, createPrivateKey, generateKeyPair, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { promisify } from 'node:util';
import { contentOf, element, elementsOf, objectIdentifier, tag, time } from './der.ts';

const dayMs = 86_400_000;
const clockSkewMs = 5 * 60_000;

const identifier = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
} as const;

/** Contents of bit strings: how many bits of the last byte are not used, then the bits. */
const keyUsages = { authority: Buffer.of(1, 0x06), leaf: Buffer.of(7, 0x80) };

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

interface Certificate {
  /** Names, the public key and extensions, in DER. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: Buffer;
  readonly extensions: readonly Buffer[];
  readonly nowMs: number;
  readonly lifetimeDays: number;
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(tag.sequence, ...parts);
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const part = (type: string, value: string): Buffer =>
    element(tag.set, sequence(objectIdentifier(type), element(tag.utf8String, Buffer.from(value))));
  const groups = organizations.map((name) => part(identifier.organization, name));
  return sequence(...groups, part(identifier.commonName, commonName));
}

function extension(type: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [element(tag.boolean, Buffer.of(0xff))] : [];
  return sequence(objectIdentifier(type), ...critical, element(tag.octetString, value));
}

/** The hash of the key alone, without its algorithm.
 *  @see RFC 5280, 4.2.1.2, method 1 */
function keyIdentifier(publicKey: Buffer): Buffer {
  const [, bits = Buffer.alloc(0)] = elementsOf(contentOf(publicKey));
  return createHash('sha1').update(contentOf(bits).subarray(1)).digest();
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes every form of an address in one way.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = text.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function alternativeNames({ dnsNames = [], ipAddresses = [] }: CertificateRequest): Buffer[] {
  const names = [
    ...dnsNames.map((name) => element(0x82, Buffer.from(name))),
    ...ipAddresses.map((address) => element(0x87, addressBytes(address))),
  ];
  return names.length === 0 ? [] : [extension(identifier.subjectAlternativeName, sequence(...names))];
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').replace(/.{1,64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  // Positive, and no longer than it must be.
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return element(tag.integer, bytes);
}

function signed(certificate: Certificate, key: KeyObject): string {
  const { issuer, subject, publicKey, extensions, nowMs, lifetimeDays } = certificate;
  const algorithm = sequence(objectIdentifier(identifier.ecdsaWithSha256));
  const content = sequence(
    element(0xa0, element(tag.integer, Buffer.of(2))),
    serialNumber(),
    algorithm,
    issuer,
    sequence(time(nowMs - clockSkewMs), time(nowMs + lifetimeDays * dayMs)),
    subject,
    publicKey,
    element(0xa3, sequence(...extensions)),
  );
  const signature = element(tag.bitString, Buffer.of(0), sign('sha256', content, key));
  return pem(sequence(content, algorithm, signature));
}

interface Keys {
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
  readonly privateKeyPem: string;
}

const generate = promisify(generateKeyPair);

async function generateKeys(): Promise<Keys> {
  const { publicKey, privateKey } = await generate('ec', { namedCurve: 'P-256' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    privateKey,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** A self-signed certificate authority, ECDSA P-256. */
export async function createCertificateAuthority(options: {
  readonly commonName: string;
  readonly nowMs: number;
  readonly lifetimeDays: number;
}): Promise<CertifiedKey> {
  const { commonName, nowMs, lifetimeDays } = options;
  const { publicKey, privateKey, privateKeyPem } = await generateKeys();
  const name = distinguishedName(commonName, []);
  const extensions = [
    extension(identifier.basicConstraints, sequence(element(tag.boolean, Buffer.of(0xff))), true),
    extension(identifier.keyUsage, element(tag.bitString, keyUsages.authority), true),
    extension(identifier.subjectKeyIdentifier, element(tag.octetString, keyIdentifier(publicKey))),
  ];
  const certificate = { issuer: name, subject: name, publicKey, extensions, nowMs, lifetimeDays };
  return { certificatePem: signed(certificate, privateKey), privateKeyPem };
}

/** The subject of a certificate as it is written there, so that what it issues names it byte for byte. */
function subjectOf(certificate: X509Certificate): Buffer {
  const [content = Buffer.alloc(0)] = elementsOf(contentOf(certificate.raw));
  const fields = elementsOf(contentOf(content));
  // Version, serial number, algorithm, issuer, validity, subject.
  return fields[5] ?? Buffer.alloc(0);
}

/** A certificate signed by `authority`, ECDSA P-256. */
export async function issueCertificate(authority: CertifiedKey, request: CertificateRequest): Promise<CertifiedKey> {
  const { commonName, organizations = [], usage, nowMs, lifetimeDays } = request;
  const issuer = new X509Certificate(authority.certificatePem);
  const { publicKey, privateKeyPem } = await generateKeys();
  const issuerKey = keyIdentifier(issuer.publicKey.export({ type: 'spki', format: 'der' }));
  const extensions = [
    extension(identifier.basicConstraints, sequence(), true),
    extension(identifier.keyUsage, element(tag.bitString, keyUsages.leaf), true),
    extension(identifier.extendedKeyUsage, sequence(objectIdentifier(identifier[usage]))),
    extension(identifier.authorityKeyIdentifier, sequence(element(0x80, issuerKey))),
    ...alternativeNames(request),
  ];
  const subject = distinguishedName(commonName, organizations);
  const certificate = { issuer: subjectOf(issuer), subject, publicKey, extensions, nowMs, lifetimeDays };
  return { certificatePem: signed(certificate, createPrivateKey(authority.privateKeyPem)), privateKeyPem };
}

/** When the first certificate of a PEM text runs out, in milliseconds since the epoch. */
export function certificateExpiryMs(certificatePem: string): number {
  return new X509Certificate(certificatePem).validToDate.getTime();
}
