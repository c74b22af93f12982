import { createPublicKey, X509Certificate } from 'node:crypto';
import { type JsonObject, objectAt, objectsAt, textAt } from '../base/index.ts';

function isCertificate(rawBytes: string): boolean {
  try {
    return new X509Certificate(Buffer.from(rawBytes, 'base64')).raw.length > 0;
  } catch {
    return false;
  }
}

function isKey(rawBytes: string): boolean {
  const key = Buffer.from(rawBytes, 'base64');
  return (['spki', 'pkcs1'] as const).some((type) => {
    try {
      return createPublicKey({ key, format: 'der', type }).type === 'public';
    } catch {
      return false;
    }
  });
}

function hasCertificates(authority: JsonObject): boolean {
  const certificates = objectsAt(objectAt(authority, 'certChain'), 'certificates');
  return certificates.length > 0 && certificates.every((one) => isCertificate(textAt(one, 'rawBytes')));
}

/** What a trusted root lacks to verify signatures; undefined for one that can be used.
 *  @see sigstore/protobuf-specs, sigstore_trustroot.proto */
export function trustedRootProblem(root: JsonObject): string | undefined {
  const [logs, timestamps] = [objectsAt(root, 'tlogs'), objectsAt(root, 'timestampAuthorities')];
  const authorities = objectsAt(root, 'certificateAuthorities');
  if (authorities.length === 0) return 'certificateAuthorities';
  if (logs.length + timestamps.length === 0) return 'tlogs or timestampAuthorities';
  if (![...authorities, ...timestamps].every(hasCertificates)) return 'certificates in each authority';
  const keys = [...logs, ...objectsAt(root, 'ctlogs')].map((log) => textAt(objectAt(log, 'publicKey'), 'rawBytes'));
  return keys.every(isKey) ? undefined : 'a public key in each log';
}
