import type { PublicKey, Signature, SignaturePacket } from 'openpgp';
import { errorMessage } from '../base/index.ts';
import { type Keyring, keyWithId } from './keyring.ts';
import { type LegacySignature, matchesLegacySignature, readLegacySignature } from './legacy-signature.ts';
import { assertNotExpired, readLibrary } from './library.ts';
import { readSignedParts, signaturePacket } from './packets.ts';

/** Of a signed message. */
export const maxSignatureBytes: number = 50 * 1024;

/** What a message contains, and who signed it. */
export interface SignedMessage {
  readonly content: Buffer;
  /** Of the primary key, upper case. */
  readonly fingerprint: string;
}

function named(thrown: unknown): Error {
  return new Error(`signature error: ${errorMessage(thrown)}`, { cause: thrown });
}

/** The RSA key that made a signature, if it was allowed to sign then. */
async function signingKeyOf(key: PublicKey, signature: LegacySignature): Promise<{ n: Uint8Array; e: Uint8Array }> {
  const { config } = await readLibrary();
  const id = key
    .getKeys()
    .map((one) => one.getKeyID())
    .find((one) => one.toHex() === signature.keyId);
  const at = (date: Date | undefined): ReturnType<PublicKey['getSigningKey']> =>
    key.getSigningKey(id, date, undefined, config);
  const { keyPacket } = await at(signature.created).catch((thrown: unknown) => {
    if (errorMessage(thrown).includes('in the future')) return at(undefined);
    throw thrown;
  });
  const { n, e } = (keyPacket.publicParams ?? {}) as { readonly n?: Uint8Array; readonly e?: Uint8Array };
  if (n === undefined || e === undefined) throw new Error('the key is no RSA key');
  return { n, e };
}

async function verifyLegacy(content: Buffer, body: Buffer, keyring: Keyring): Promise<PublicKey> {
  const signature = readLegacySignature(body);
  const key = keyWithId(keyring, signature.keyId);
  const isMatch = matchesLegacySignature(content, signature, await signingKeyOf(key, signature));
  if (!isMatch) throw new Error('Signature verification failed');
  return key;
}

async function verifyCurrent(content: Buffer, body: Buffer, { keyring, now }: Verification): Promise<PublicKey> {
  const { library, config } = await readLibrary();
  const signature: Signature = await library.readSignature({ binarySignature: signaturePacket(body), config });
  const packet = signature.packets[0] as SignaturePacket | undefined;
  if (packet === undefined) throw new Error('it has no signature packet');
  const key = keyWithId(keyring, packet.issuerKeyID.toHex());
  const message = await library.createMessage({ binary: new Uint8Array(content) });
  // Without a date, so that an expired signature is reported as such.
  const date = null as unknown as Date;
  const { signatures } = await library.verify({ message, signature, verificationKeys: [key], date, config });
  const [result] = signatures;
  // The library leaves out signatures of other things than messages, of keys for instance, without verifying them.
  if (result === undefined)
    throw new Error(`a signature of type ${packet.signatureType ?? 'unknown'} is of no message`);
  await result.verified;
  assertNotExpired(packet.getExpirationTime(), now);
  return key;
}

interface Verification {
  readonly keyring: Keyring;
  readonly now: Date;
}

async function verifyOne(content: Buffer, body: Buffer, verification: Verification): Promise<PublicKey> {
  try {
    if (body[0] === 3) return await verifyLegacy(content, body, verification.keyring);
    return await verifyCurrent(content, body, verification);
  } catch (thrown) {
    const text = errorMessage(thrown);
    throw text === 'invalid signature' || text.startsWith('signature expired') ? thrown : named(thrown);
  }
}

/** The content of a signed message, of which a key of the ring has made one of the signatures. Keys must have been valid when they signed; a signature
 *  with a lifetime must not have expired at `now`.
 *  @throws Error with the texts of the reference: `could not read the message: …`, `not signed`, `invalid signature` for a key that is not in
 *  the ring, `signature error: …`, `signature expired on …` */
export async function verifySignedMessage(message: Buffer, keyring: Keyring, now: Date): Promise<SignedMessage> {
  if (message.length > maxSignatureBytes) {
    throw new Error(`could not read the message: more than the limit of ${maxSignatureBytes} bytes`);
  }
  const { content, signatures } = readSignedParts(message);
  let problem: unknown = new Error('not signed');
  for (const body of signatures) {
    try {
      const key = await verifyOne(content, body, { keyring, now });
      return { content, fingerprint: key.getFingerprint().toUpperCase() };
    } catch (thrown) {
      problem = thrown;
    }
  }
  throw problem;
}
