import { X509Certificate } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { expect, test } from 'vitest';
import { readSigningRequest, signCertificateRequest } from './certificate-requests.ts';
import { createCertificateAuthority, signingAlgorithm } from './certificates.ts';

const nowMs = Date.parse('2030-01-01T00:00:00Z');
const dayMs = 86_400_000;
const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
const authority = await createCertificateAuthority({ commonName: 'ca', nowMs, lifetimeDays: 10 });
const policy = {
  keyUsages: ['digitalSignature'],
  extendedKeyUsages: ['clientAuth'],
  notBeforeMs: nowMs,
  notAfterMs: nowMs + dayMs,
} as const;

async function request(attributes: x509.JsonNameParams, extensions: x509.Extension[] = []): Promise<string> {
  const name = new x509.Name(attributes);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm, extensions });
  return made.toString('pem');
}

test('a certificate has the subject and names of its request, and nothing else of it', async () => {
  const names = new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'one.example.com' }]);
  const isAuthority = new x509.BasicConstraintsExtension(true, undefined, true);
  const pem = await request([{ O: ['readers'] }, { CN: ['jane'] }, { DC: ['example'] }], [names, isAuthority]);
  const certificate = new X509Certificate(await signCertificateRequest(authority, pem, policy));
  expect(certificate.subject).toBe('O=readers\nCN=jane');
  expect(certificate.subjectAltName).toBe('DNS:one.example.com');
  expect(certificate.ca).toBe(false);
  expect(certificate.verify(new X509Certificate(authority.certificatePem).publicKey)).toBe(true);
});

test.each([
  '"system:masters"',
  'x"system:masters"',
  String.raw`system\:masters`,
  '#0c0e73797374656d3a6d617374657273',
  String.raw`a\0ab`,
  'readers, O=system:masters',
  'Größe',
  'a * & b',
])('a certificate has the organization and name of its request as they were read: %s', async (text) => {
  const pem = await request([{ CN: [{ utf8String: text }] }, { O: [{ utf8String: text }] }]);
  expect(await readSigningRequest(pem)).toMatchObject({ commonName: text, organizations: [text] });
  const certificate = new X509Certificate(await signCertificateRequest(authority, pem, policy));
  expect(certificate.toLegacyObject().subject).toEqual({ CN: text, O: text });
});

/** A block that Go reads, and that comes before another one. */
function withHeader(pem: string): string {
  return pem.replace('-----BEGIN CERTIFICATE REQUEST-----', '$&\nX-Note: first\n');
}

test.each([
  ['a second block', (shown: string, other: string) => `${shown}\n${other}`],
  ['a block with headers before it', (shown: string, other: string) => `${withHeader(shown)}\n${other}`],
  [
    'a block of another type before it',
    (shown: string, other: string) => `${shown.replaceAll('REQUEST', 'X')}\n${other}`,
  ],
  ['a block before it that does not begin a line', (shown: string, other: string) => `x${shown}\n${other}`],
  ['headers', withHeader],
])('a request with %s is refused: others may read another subject in it', async (_what, join) => {
  const pem = join(await request([{ CN: ['jane'] }]), await request([{ CN: ['joan'] }]));
  await expect(readSigningRequest(pem)).rejects.toThrow(/PEM block/);
  await expect(signCertificateRequest(authority, pem, policy)).rejects.toThrow(/PEM block/);
});

test('a request with text around its block is accepted', async () => {
  const pem = `Certificate Request:\n    Version: 1\n${await request([{ CN: ['jane'] }])}\n`;
  expect(await readSigningRequest(pem)).toMatchObject({ commonName: 'jane' });
});

test('a subject with a value that Go does not show is refused', async () => {
  const pem = await request([{ CN: ['jane'] }, { CN: [{ universalString: 'joan' }] }]);
  await expect(signCertificateRequest(authority, pem, policy)).rejects.toThrow('is no text');
});

test('a certificate ends with its authority at the latest', async () => {
  const pem = await request([{ CN: ['jane'] }]);
  const signed = await signCertificateRequest(authority, pem, { ...policy, notAfterMs: nowMs + 99 * dayMs });
  expect(new X509Certificate(signed).validToDate.getTime()).toBe(nowMs + 10 * dayMs);
  const late = { ...policy, notBeforeMs: nowMs + 11 * dayMs };
  await expect(signCertificateRequest(authority, pem, late)).rejects.toThrow('has expired');
});

test('a request that its key has not signed is refused', async () => {
  const pem = await request([{ CN: ['jane'] }]);
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const at = der.indexOf('jane');
  der.write('joan', at);
  const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----`;
  await expect(signCertificateRequest(authority, forged, policy)).rejects.toThrow('not signed with its own key');
});

test.each(['', 'x', '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----'])(
  'what is no request is refused: %j',
  async (pem) => {
    await expect(readSigningRequest(pem)).rejects.toThrow();
  },
);
