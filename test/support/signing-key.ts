import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A pair of keys; the public one as PEM. */
export interface SigningKey {
  readonly publicPem: string;
  readonly privateKey: KeyObject;
}

/** A new pair, as `cosign generate-key-pair` and others make them. */
export function signingKey(type: 'ec' | 'rsa' | 'ed25519' = 'ec'): SigningKey {
  const spki = { type: 'spki', format: 'pem' } as const;
  const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
  const encodings = { publicKeyEncoding: spki, privateKeyEncoding: pkcs8 };
  const pair =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519');
  return { publicPem: pair.publicKey.export(encodings.publicKeyEncoding).toString(), privateKey: pair.privateKey };
}
