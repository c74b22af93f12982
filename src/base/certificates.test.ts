import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { issueAuthority } from '../../test/support/index.ts';
import {
  certificateExpiryMs,
  createCertificateAuthority,
  isServingCertificate,
  issueCertificate,
} from './certificates.ts';

test('issues a certificate for its hosts that its authority verifies', async () => {
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ commonName: 'test-ca', nowMs, lifetimeDays: 10 });
  const issued = await issueCertificate(authority, {
    commonName: 'system:admin',
    organizations: ['system:masters'],
    usage: 'server',
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
    nowMs,
    lifetimeDays: 1,
  });
  const certificate = new X509Certificate(issued.certificatePem);
  expect(certificate.checkIssued(new X509Certificate(authority.certificatePem))).toBe(true);
  expect(certificate.verify(new X509Certificate(authority.certificatePem).publicKey)).toBe(true);
  expect(certificate.subject).toBe('O=system:masters\nCN=system:admin');
  expect(certificate.checkHost('localhost')).toBe('localhost');
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(Math.abs(certificateExpiryMs(issued.certificatePem) - (nowMs + 86_400_000))).toBeLessThan(2_000);
});

test('a server may present a certificate with its chain of intermediate certificates', async () => {
  const lifetime = { nowMs: Date.now(), lifetimeDays: 10 };
  const root = await createCertificateAuthority({ commonName: 'root', ...lifetime });
  const middle = await issueAuthority(root, 'middle');
  const leaf = await issueCertificate(middle, {
    commonName: 'server',
    usage: 'server',
    dnsNames: ['localhost'],
    ...lifetime,
  });
  const expected = { caBundlePem: root.certificatePem, dnsNames: ['localhost'] };
  const whole = { ...leaf, certificatePem: leaf.certificatePem + middle.certificatePem };
  expect(isServingCertificate(whole, expected)).toBe(true);
  expect(isServingCertificate(leaf, expected)).toBe(false);
  const other = await createCertificateAuthority({ commonName: 'root', ...lifetime });
  expect(isServingCertificate(whole, { ...expected, caBundlePem: other.certificatePem })).toBe(false);
});
