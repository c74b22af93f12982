import { type KeyObject, verify } from 'node:crypto';

/** Whether `signature` (base64) is the key's over `payload`; false for anything that is no signature. */
export function isSignedBy(key: KeyObject, payload: Buffer, signature: string): boolean {
  try {
    const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    return verify(algorithm, payload, key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}
