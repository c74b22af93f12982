import { createPublicKey, verify } from 'node:crypto';

/** A signature of version 3, which the library does not read. Signing services of operating systems still make them. */
export interface LegacySignature {
  readonly created: Date;
  /** 16 digits. */
  readonly keyId: string;
  /** The bytes that are signed after the content. */
  readonly trailer: Buffer;
  readonly hash: string;
  readonly signature: Buffer;
}

const rsaAlgorithms: readonly number[] = [1, 3];
const hashes: Readonly<Record<number, string>> = { 8: 'sha256', 9: 'sha384', 10: 'sha512' };
const binaryDocument = 0;

/** Reads the body of a signature packet of version 3: RSA, of a binary document, with SHA-256 or stronger.
 *  @see RFC 4880, section 5.2.2
 *  @throws Error naming what is not supported */
export function readLegacySignature(body: Buffer): LegacySignature {
  if (body.length < 21 || body[1] !== 5) throw new Error('it ends too early');
  const [type, algorithm = 0, hashAlgorithm = 0] = [body[2], body[15], body[16]];
  if (type !== binaryDocument) throw new Error(`signature type ${type} is not supported in version 3`);
  if (!rsaAlgorithms.includes(algorithm)) throw new Error(`algorithm ${algorithm} is not supported in version 3`);
  const hash = hashes[hashAlgorithm];
  if (hash === undefined) throw new Error(`insecure hash algorithm ${hashAlgorithm}`);
  const lengthBytes = Math.ceil(body.readUInt16BE(19) / 8);
  if (21 + lengthBytes > body.length) throw new Error('it ends too early');
  return {
    created: new Date(body.readUInt32BE(3) * 1000),
    keyId: body.toString('hex', 7, 15),
    trailer: body.subarray(2, 7),
    hash,
    signature: body.subarray(21, 21 + lengthBytes),
  };
}

/** Whether the signature is that of the RSA key over the content. */
export function matchesLegacySignature(
  content: Buffer,
  { trailer, hash, signature }: LegacySignature,
  key: { readonly n: Uint8Array; readonly e: Uint8Array },
): boolean {
  const [n, e] = [key.n, key.e].map((value) => Buffer.from(value).toString('base64url'));
  if (n === undefined || e === undefined) return false;
  const publicKey = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
  // Leading zeros are left out of the numbers of OpenPGP.
  const padded = Buffer.concat([Buffer.alloc(Math.max(0, key.n.length - signature.length)), signature]);
  return verify(hash, Buffer.concat([content, trailer]), publicKey, padded);
}
