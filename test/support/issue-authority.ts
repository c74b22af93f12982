import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import type { CertifiedKey } from '../../src/base/index.ts';

/** An authority that another one vouches for. */
export async function issueAuthority(root: CertifiedKey, commonName: string): Promise<CertifiedKey> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const der = createPrivateKey(root.privateKeyPem).export({ type: 'pkcs8', format: 'der' });
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '01',
    subject: `CN=${commonName}`,
    issuer: new x509.X509Certificate(root.certificatePem).subject,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', new Uint8Array(der), algorithm, false, ['sign']),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const privateKeyPem = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem };
}
