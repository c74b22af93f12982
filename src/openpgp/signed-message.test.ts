import { deflateRawSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import {
  compressedPacket,
  createOpenpgpSigner,
  literalPacket,
  type OpenpgpSigner,
} from '../../test/support/openpgp-signer.ts';
import { type Keyring, readKeyring } from './keyring.ts';
import { maxSignatureBytes, verifySignedMessage } from './signed-message.ts';

const now = new Date('2025-01-01T00:00:00Z');
let [signer, other, rsa]: OpenpgpSigner[] = [];
let keyring: Keyring;
const ringOf = (name: string, ...signers: readonly (OpenpgpSigner | undefined)[]): Promise<Keyring> =>
  readKeyring(name, Buffer.from(signers.map((one) => one?.publicKey).join('\n')));

beforeAll(async () => {
  [signer, other, rsa] = await Promise.all([createOpenpgpSigner(), createOpenpgpSigner(), createOpenpgpSigner('rsa')]);
  keyring = await ringOf('ring', signer, rsa);
});

const verified = async (message: Buffer, ring = keyring): Promise<string> => {
  const { content, fingerprint } = await verifySignedMessage(message, ring, now);
  return `${content.toString()} ${fingerprint}`;
};

test('a key of the ring has signed: elliptic curve or RSA, compressed or not', async () => {
  const message = (await signer?.sign('hello')) ?? Buffer.of();
  expect(await verified(message)).toBe(`hello ${signer?.fingerprint}`);
  const packed = compressedPacket(Buffer.concat([Buffer.of(1), deflateRawSync(message)]));
  expect(await verified(packed)).toBe(`hello ${signer?.fingerprint}`);
  expect(await verified((await rsa?.sign('hello')) ?? Buffer.of())).toBe(`hello ${rsa?.fingerprint}`);
});

test('signatures of version 3 count, which signing services of operating systems make', async () => {
  expect(await verified(rsa?.signLegacy('hello') ?? Buffer.of())).toBe(`hello ${rsa?.fingerprint}`);
  const message = rsa?.signLegacy('hello') ?? Buffer.of();
  message[message.indexOf('hello')] = 0x4a;
  await expect(verified(message)).rejects.toThrow('signature error: Signature verification failed');
  await expect(verified(rsa?.signLegacy('hello', { hash: 2 }) ?? Buffer.of())).rejects.toThrow(
    'signature error: insecure hash algorithm 2',
  );
});

test('what the key did not sign is refused', async () => {
  const message = (await signer?.sign('hello')) ?? Buffer.of();
  message[message.indexOf('hello')] = 0x4a;
  await expect(verified(message)).rejects.toThrow('signature error: Signed digest did not match');
  await expect(verified((await other?.sign('hello')) ?? Buffer.of())).rejects.toThrow(/^invalid signature$/);
  await expect(verified(literalPacket(Buffer.from('hello')))).rejects.toThrow(/^not signed$/);
});

test.each([
  ['a standalone one', 2],
  ['a certification', 0x10],
  ['the binding of a subkey', 0x18],
  ['one of a key', 0x1f],
  ['a revocation', 0x20],
  ['a timestamp', 0x40],
])('%s is no signature of a message, and is refused', async (_, type) => {
  const signed = (await signer?.sign('hello')) ?? Buffer.of();
  const literal = literalPacket(Buffer.from('forged'));
  const signature = signed.subarray(literalPacket(Buffer.from('hello')).length);
  // Behind the header of the packet, and the version of the signature.
  signature[7] = type;
  await expect(verified(Buffer.concat([literal, signature]))).rejects.toThrow(
    `signature error: a signature of type ${type} is of no message`,
  );
});

test('one of several signatures is enough', async () => {
  const [first, second] = [await other?.sign('hello'), await signer?.sign('hello')];
  const literal = literalPacket(Buffer.from('hello'));
  const behind = [first, second].map((message) => message?.subarray(literal.length) ?? Buffer.of());
  expect(await verified(Buffer.concat([literal, ...behind]))).toBe(`hello ${signer?.fingerprint}`);
});

test('a signature with a lifetime expires', async () => {
  const message = (await signer?.sign('hello', { lifetimeSeconds: 60 })) ?? Buffer.of();
  await expect(verified(message)).rejects.toThrow('signature expired on 2024-06-01 00:01:00 +0000 UTC');
});

const bomb = (depth: number): Buffer => {
  let message = literalPacket(Buffer.from('hello'));
  for (let level = 0; level < depth; level += 1)
    message = compressedPacket(Buffer.concat([Buffer.of(1), deflateRawSync(message)]));
  return message;
};

test.each([
  ['nothing', () => Buffer.of(), 'it has no content'],
  ['a text', () => Buffer.from('hello'), 'it is no OpenPGP message'],
  ['half a packet', () => literalPacket(Buffer.from('hello')).subarray(0, 12), 'it ends in the middle of a packet'],
  ['an encrypted message', () => Buffer.from([0xd2, 1, 1]), 'it is encrypted'],
  ['too many bytes', () => Buffer.alloc(maxSignatureBytes + 1), 'more than the limit of 51200 bytes'],
  ['compression over compression', () => bomb(3), 'compressed too often'],
  [
    'a bomb',
    () => compressedPacket(Buffer.concat([Buffer.of(1), deflateRawSync(Buffer.alloc(2 ** 24))])),
    'Cannot create a Buffer larger than',
  ],
  [
    'a message with a thousand signatures',
    () =>
      Buffer.concat([
        literalPacket(Buffer.from('x')),
        ...Array.from({ length: 1000 }, () => Buffer.from([0xc2, 1, 4])),
      ]),
    'more than 16 signatures',
  ],
  ['another compression', () => compressedPacket(Buffer.of(3, 0)), 'compression algorithm 3 is not supported'],
])('%s is refused', async (_, message, text) => {
  await expect(verified(message())).rejects.toThrow(`could not read the message: ${text}`);
});

test.each([
  ['a text', 'hello', 'OpenPGP public keys'],
  ['a private key', '-----BEGIN PGP PRIVATE KEY BLOCK-----', 'a private key'],
  ['a giant', 'x'.repeat(2 ** 20 + 1), 'more than 1048576 bytes'],
])('%s is no key ring', async (_, text, problem) => {
  await expect(readKeyring('keys', Buffer.from(text))).rejects.toThrow(problem);
});
