import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateExpiryMs, createCertificateAuthority, issueCertificate } from './certificates.ts';

test('issues a certificate that its authority verifies and that names its hosts', async () => {
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
