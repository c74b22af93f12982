import type { CleartextMessage, VerifyMessageResult } from 'openpgp';
import { errorMessage } from '../base/index.ts';
import { type Keyring, keyWithId } from './keyring.ts';
import { assertNotExpired, readLibrary } from './library.ts';
import type { SignedMessage } from './signed-message.ts';

/** Of a message whose text is not packed. */
export const maxCleartextBytes: number = 1024 * 1024;
const maxSignatures = 16;
/** Of the armored block of all signatures: the library reads all packets of it before they can be counted. */
const maxSignatureBlockBytes = 32 * 1024;
const maxLines = 100_000;
const messageStart = '-----BEGIN PGP SIGNED MESSAGE-----';

/** @throws Error for what would keep the thread busy for seconds */
function assertQuicklyRead(message: string): void {
  // The library takes any line of this form for the start of the block.
  const block = /[\n\r\u2028\u2029]-----[^-\n]+-----/.exec(message)?.index ?? message.length;
  if (message.length - block > maxSignatureBlockBytes)
    throw new Error(`could not read the message: signatures of more than ${maxSignatureBlockBytes} bytes`);
  let lines = 1;
  for (let at = message.indexOf('\n'); at >= 0; at = message.indexOf('\n', at + 1)) lines += 1;
  if (lines > maxLines) throw new Error(`could not read the message: more than ${maxLines} lines`);
}

async function readMessage(text: string): Promise<CleartextMessage> {
  const { library, config } = await readLibrary();
  // As GnuPG has it, what surrounds the message does not matter.
  const start = /^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*$/m.exec(text)?.index;
  if (start === undefined) throw new Error(`could not read the message: expected ${messageStart}`);
  assertQuicklyRead(text.slice(start));
  try {
    const message = await library.readCleartextMessage({ cleartextMessage: text.slice(start), config });
    if (message.getSigningKeyIDs().length <= maxSignatures) return message;
  } catch (thrown) {
    throw new Error(`could not read the message: ${errorMessage(thrown)}`, { cause: thrown });
  }
  throw new Error(`could not read the message: more than ${maxSignatures} signatures`);
}

async function verifyOne(
  result: VerifyMessageResult['signatures'][number],
  keyring: Keyring,
  now: Date,
): Promise<string> {
  const key = keyWithId(keyring, result.keyID.toHex());
  try {
    await result.verified;
  } catch (thrown) {
    throw new Error(`signature error: ${errorMessage(thrown)}`, { cause: thrown });
  }
  const { packets } = await result.signature;
  for (const packet of packets) assertNotExpired(packet.getExpirationTime(), now);
  return key.getFingerprint().toUpperCase();
}

/** The text of a message that is signed in the clear (`gpg --clearsign`), of which a key of the ring has made one of the signatures; lines end
 *  with `\n`. At most 1 MiB, 100,000 lines and 16 signatures. Which keys count is the same as for `verifySignedMessage`.
 *  @throws Error with the same texts */
export async function verifyCleartextMessage(text: string, keyring: Keyring, now: Date): Promise<SignedMessage> {
  if (Buffer.byteLength(text) > maxCleartextBytes) {
    throw new Error(`could not read the message: more than the limit of ${maxCleartextBytes} bytes`);
  }
  const message = await readMessage(text);
  const { library, config } = await readLibrary();
  // Without a date, so that an expired signature is reported as such.
  const date = null as unknown as Date;
  const { data, signatures } = await library.verify({ message, verificationKeys: [...keyring.keys], date, config });
  let problem: unknown = new Error('not signed');
  for (const result of signatures) {
    try {
      const fingerprint = await verifyOne(result, keyring, now);
      return { content: Buffer.from(data.replaceAll('\r\n', '\n')), fingerprint };
    } catch (thrown) {
      problem = thrown;
    }
  }
  throw problem;
}
