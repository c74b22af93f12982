import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import {
  errorMessage,
  type JsonObject,
  objectAt,
  objectsAt,
  parseJson,
  sha256Digest,
  TerminalError,
  textAt,
  valueAt,
} from '../base/index.ts';
import { isSignedBy } from './verify.ts';

/** The proof of a transparency log that it includes an entry. */
export interface LogNote {
  /** The entry, base64. */
  readonly body: string;
  /** Seconds since the epoch. */
  readonly integratedTime: number;
  readonly logIndex: number;
  /** SHA-256 of the log's key, hex. */
  readonly logID: string;
  /** The log's signature over the four, base64. */
  readonly promise: string;
}

/** What the log is to have noted. */
export interface LoggedSignature {
  /** The bytes that were signed. */
  readonly signed: Buffer;
  /** The signed content itself. */
  readonly content: Buffer;
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
  throw new TerminalError('NotLogged', `its transparency log entry ${why}`);
}

/** The note as cosign keeps it beside a signature in a tag.
 *  @throws TerminalError NotLogged, InvalidJson */
export function readNote(text: string): LogNote {
  const note = objectAt({ note: parseJson('the transparency log entry', text) }, 'note');
  const payload = objectAt(note, 'Payload');
  return {
    body: textAt(payload, 'body'),
    integratedTime: wholeNumber(valueAt(payload, 'integratedTime')),
    logIndex: wholeNumber(valueAt(payload, 'logIndex')),
    logID: textAt(payload, 'logID'),
    promise: textAt(note, 'SignedEntryTimestamp'),
  };
}

function wholeNumber(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : refuse('lacks its time or index');
}

/** The note as a bundle holds it: an entry of `tlogEntries`; numbers are texts there.
 *  @throws TerminalError NotLogged */
export function readEntry(entry: JsonObject): LogNote {
  const promise = textAt(objectAt(entry, 'inclusionPromise'), 'signedEntryTimestamp');
  if (promise === '') refuse('has no signed entry timestamp (other proofs are not supported)');
  return {
    body: textAt(entry, 'canonicalizedBody'),
    integratedTime: wholeNumber(Number(textAt(entry, 'integratedTime') || 'none')),
    logIndex: wholeNumber(Number(textAt(entry, 'logIndex') || '0')),
    logID: Buffer.from(textAt(objectAt(entry, 'logId'), 'keyId'), 'base64').toString('hex'),
    promise,
  };
}

function isHash(hash: JsonObject | undefined, content: Buffer): boolean {
  return textAt(hash, 'algorithm') === 'sha256' && textAt(hash, 'value') === hex(sha256Digest(content));
}

function assertSame(noted: { readonly signature: string; readonly key: string }, logged: LoggedSignature): void {
  if (noted.signature !== logged.signature) refuse('is for another signature');
  const notedPem = Buffer.from(noted.key, 'base64').toString();
  if (!derOf(notedPem).equals(derOf(logged.signerPem))) refuse('is for another key');
}

/** Validation of a signature by kind of entry. */
const kinds: ReadonlyMap<string, (spec: JsonObject | undefined, logged: LoggedSignature) => void> = new Map([
  [
    'hashedrekord',
    (spec, logged) => {
      if (!isHash(objectAt(spec, 'data', 'hash'), logged.signed)) refuse('is for other signed content');
      const noted = objectAt(spec, 'signature');
      assertSame({ signature: textAt(noted, 'content'), key: textAt(objectAt(noted, 'publicKey'), 'content') }, logged);
    },
  ],
  [
    'dsse',
    (spec, logged) => {
      if (!isHash(objectAt(spec, 'payloadHash'), logged.content)) refuse('is for other signed content');
      const [noted] = objectsAt(spec, 'signatures');
      assertSame({ signature: textAt(noted, 'signature'), key: textAt(noted, 'verifier') }, logged);
    },
  ],
]);

function assertEntry(body: string, logged: LoggedSignature): void {
  const entry = parseJson('the body of the transparency log entry', Buffer.from(body, 'base64').toString());
  const object = objectAt({ entry }, 'entry');
  const kind = textAt(object, 'kind');
  const assertKind = kinds.get(kind);
  if (assertKind === undefined)
    return refuse(`is of kind "${kind.slice(0, 50)}", not ${[...kinds.keys()].join(' or ')}`);
  assertKind(objectAt(object, 'spec'), logged);
}

/** When the log has taken the signature in, in milliseconds since the epoch, by its own signed promise.
 *  @throws TerminalError NotLogged when `note` is no promise of that log, or about something else
 *  @see Rekor, "SignedEntryTimestamp": the log's signature over the canonical JSON of body, integratedTime, logID and logIndex */
export function loggedAtMs(note: LogNote, rekorKey: KeyObject, logged: LoggedSignature): number {
  const { body, integratedTime, logID, logIndex, promise } = note;
  const known = hex(sha256Digest(rekorKey.export({ type: 'spki', format: 'der' })));
  if (logID !== known) refuse('is from another log');
  const promised = Buffer.from(JSON.stringify({ body, integratedTime, logID, logIndex }));
  if (!isSignedBy(rekorKey, promised, promise)) refuse('is not signed by the log');
  try {
    assertEntry(body, logged);
  } catch (thrown) {
    if (thrown instanceof TerminalError) throw thrown;
    refuse(`cannot be read: ${errorMessage(thrown)}`);
  }
  return integratedTime * 1000;
}
