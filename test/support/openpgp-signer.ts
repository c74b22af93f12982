import { createPrivateKey, sign as signBytes } from 'node:crypto';
import {
  config,
  createCleartextMessage,
  createMessage,
  enums,
  generateKey,
  type PrivateKey,
  SignaturePacket,
  sign,
} from 'openpgp';

/** Makes OpenPGP keys and signed messages, as a release process would. */
export interface OpenpgpSigner {
  /** Armored. */
  readonly publicKey: string;
  readonly fingerprint: string;
  /** A signed message, made in June 2024. */
  readonly sign: (content: string, options?: { readonly lifetimeSeconds?: number }) => Promise<Buffer>;
  /** The private key, binary: what `helm package --sign` reads. */
  readonly secretKeyring: Uint8Array;
  /** The public key, binary. */
  readonly publicKeyring: Uint8Array;
  /** A text that is signed in the clear, as by `gpg --clearsign`, in June 2024. */
  readonly signClear: (text: string) => Promise<string>;
  /** A signed message whose signature has version 3; for RSA keys. `hash` is the number of a hash, of SHA-256 when absent. */
  readonly signLegacy: (content: string, options?: { readonly hash?: number }) => Buffer;
}

function packet(tag: number, body: Buffer): Buffer {
  const header = Buffer.from([0xc0 | tag, 0xff, 0, 0, 0, 0]);
  header.writeUInt32BE(body.length, 2);
  return Buffer.concat([header, body]);
}

/** A packet with binary content. */
export function literalPacket(content: Buffer): Buffer {
  return packet(11, Buffer.concat([Buffer.from('b\0'), Buffer.alloc(4), content]));
}

/** A packet that holds compressed packets; `packed` begins with the algorithm. */
export function compressedPacket(packed: Buffer): Buffer {
  return packet(8, packed);
}

function integer(bytes: Buffer): Buffer {
  const trimmed = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(trimmed.length * 8 - Math.clz32(trimmed[0] ?? 0) + 24);
  return Buffer.concat([length, trimmed]);
}

function legacySignature(key: PrivateKey, content: Buffer, hash: number): Buffer {
  const part = (name: string): string => {
    const { publicParams, privateParams } = key.keyPacket as unknown as Record<string, Record<string, Uint8Array>>;
    const params = { ...publicParams, ...privateParams };
    return Buffer.from(params[name] ?? []).toString('base64url');
  };
  const number = (name: string): bigint => BigInt(`0x${Buffer.from(part(name), 'base64url').toString('hex')}`);
  const encode = (value: bigint): string => {
    const hex = value.toString(16);
    return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
  };
  const [d, p, q] = [number('d'), number('p'), number('q')];
  const invert = (value: bigint, modulus: bigint): bigint => {
    let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
    while (b !== 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
    return ((x % modulus) + modulus) % modulus;
  };
  const jwk = {
    kty: 'RSA',
    ...Object.fromEntries(['n', 'e', 'd', 'p', 'q'].map((name) => [name, part(name)])),
    dp: encode(d % (p - 1n)),
    dq: encode(d % (q - 1n)),
    qi: encode(invert(q, p)),
  };
  const created = Buffer.alloc(4);
  created.writeUInt32BE(Math.floor(key.getCreationTime().getTime() / 1000) + 1);
  const trailer = Buffer.concat([Buffer.from([0]), created]);
  const algorithm = { 2: 'sha1', 8: 'sha256' }[hash] ?? 'sha512';
  const signature = signBytes(
    algorithm,
    Buffer.concat([content, trailer]),
    createPrivateKey({ key: jwk, format: 'jwk' }),
  );
  const keyId = Buffer.from(key.getKeyID().toHex(), 'hex');
  return packet(
    2,
    Buffer.concat([Buffer.from([3, 5]), trailer, keyId, Buffer.from([1, hash, 0, 0]), integer(signature)]),
  );
}

/** A key pair of elliptic curves, or RSA. */
export async function createOpenpgpSigner(type: 'curve25519' | 'rsa' = 'curve25519'): Promise<OpenpgpSigner> {
  const date = new Date('2024-01-01T00:00:00Z');
  const userIDs = [{ name: 'Release', email: 'release@example.com' }];
  const { privateKey, publicKey } = await generateKey({ type, rsaBits: 2048, userIDs, date, format: 'object' });
  return {
    publicKey: publicKey.armor(),
    fingerprint: publicKey.getFingerprint().toUpperCase(),
    sign: async (content, { lifetimeSeconds } = {}) => {
      const bytes = Buffer.from(content);
      const message = await createMessage({ binary: new Uint8Array(bytes) });
      const signature = Object.assign(new SignaturePacket(), {
        signatureType: enums.signature.binary,
        publicKeyAlgorithm: privateKey.keyPacket.algorithm,
        hashAlgorithm: enums.hash.sha512,
        ...(lifetimeSeconds === undefined
          ? {}
          : { signatureExpirationTime: lifetimeSeconds, signatureNeverExpires: false }),
      });
      const signWith = signature.sign.bind(signature) as (...args: readonly unknown[]) => Promise<void>;
      await signWith(privateKey.keyPacket, message.packets[0], new Date('2024-06-01T00:00:00Z'), false, config);
      return Buffer.concat([literalPacket(bytes), packet(2, Buffer.from(signature.write()))]);
    },
    secretKeyring: privateKey.write(),
    publicKeyring: publicKey.write(),
    signClear: async (text) => {
      const message = await createCleartextMessage({ text });
      return await sign({ message, signingKeys: privateKey, date: new Date('2024-06-01T00:00:00Z') });
    },
    signLegacy: (content, { hash = 8 } = {}) => {
      const bytes = Buffer.from(content);
      return Buffer.concat([literalPacket(bytes), legacySignature(privateKey, bytes, hash)]);
    },
  };
}
