import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { errorMessage, objectAt, parseJson, sha256Digest, TerminalError, textAt, valueAt } from '../base/index.ts';
import { isSignedBy } from './verify.ts';

/** What the log is to have noted. */
export interface LoggedSignature {
  readonly payload: Buffer;
  /** Base64. */
  readonly signature: string;
  /** PEM of the key, or of the certificate, that it was made with. */
  readonly signerPem: string;
}

function hex(digest: string): string {
  return digest.replace('sha256:', '');
}

function derOf(pem: string): Buffer {
  if (pem.includes('BEGIN CERTIFICATE')) return new X509Certificate(pem).raw;
  return createPublicKey(pem).export({ type: 'spki', format: 'der' });
}

function refuse(why: string): never {
  throw new TerminalError('NotLogged', `its note of the transparency log ${why}`);
}

function assertEntry(body: string, { payload, signature, signerPem }: LoggedSignature): void {
  const entry = parseJson('the entry of the transparency log', Buffer.from(body, 'base64').toString());
  const object = objectAt({ entry }, 'entry');
  if (textAt(object, 'kind') !== 'hashedrekord')
    refuse(`is of kind "${textAt(object, 'kind').slice(0, 50)}", not hashedrekord`);
  const spec = objectAt(object, 'spec');
  const hash = objectAt(spec, 'data', 'hash');
  if (textAt(hash, 'algorithm') !== 'sha256' || textAt(hash, 'value') !== hex(sha256Digest(payload))) {
    refuse('is about something else that was signed');
  }
  const noted = objectAt(spec, 'signature');
  if (textAt(noted, 'content') !== signature) refuse('is about another signature');
  const notedPem = Buffer.from(textAt(objectAt(noted, 'publicKey'), 'content'), 'base64').toString();
  if (!derOf(notedPem).equals(derOf(signerPem))) refuse('is about another key');
}

/** When the log has taken the signature in, in milliseconds since the epoch, by its own signed promise.
 *  @throws TerminalError NotLogged when `bundle` is no promise of that log, or about something else
 *  @see Rekor, "SignedEntryTimestamp": the log's signature over the canonical JSON of body, integratedTime, logID and logIndex */
export function loggedAtMs(bundle: string, rekorKey: KeyObject, logged: LoggedSignature): number {
  const promise = objectAt({ bundle: parseJson('the note of the transparency log', bundle) }, 'bundle');
  const payload = objectAt(promise, 'Payload');
  const [integratedTime, logIndex] = [valueAt(payload, 'integratedTime'), valueAt(payload, 'logIndex')];
  const [body, logID] = [textAt(payload, 'body'), textAt(payload, 'logID')];
  if (!Number.isSafeInteger(integratedTime) || !Number.isSafeInteger(logIndex)) refuse('lacks its time or its place');
  const known = hex(sha256Digest(rekorKey.export({ type: 'spki', format: 'der' })));
  if (logID !== known) refuse('is of another log');
  const promised = Buffer.from(JSON.stringify({ body, integratedTime, logID, logIndex }));
  if (!isSignedBy(rekorKey, promised, textAt(promise, 'SignedEntryTimestamp'))) refuse('is not signed by the log');
  try {
    assertEntry(body, logged);
  } catch (thrown) {
    if (thrown instanceof TerminalError) throw thrown;
    refuse(`cannot be read: ${errorMessage(thrown)}`);
  }
  return Number(integratedTime) * 1000;
}
