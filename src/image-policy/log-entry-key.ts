import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import {
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  parseJson,
  TerminalError,
  textAt,
} from '../base/index.ts';

function keyOfPem(text: string): KeyObject {
  return createPublicKey(Buffer.from(text, 'base64').toString());
}

function keyOfVerifier(verifier: JsonObject | undefined): KeyObject {
  const certificate = textAt(objectAt(verifier, 'x509Certificate'), 'rawBytes');
  if (certificate !== '') return new X509Certificate(Buffer.from(certificate, 'base64')).publicKey;
  const key = Buffer.from(textAt(objectAt(verifier, 'publicKey'), 'rawBytes'), 'base64');
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

/** Where each kind of entry has the key, or the certificate, of the signature. */
const keysIn: ReadonlyMap<string, (spec: JsonObject | undefined) => KeyObject> = new Map([
  ['hashedrekord/0.0.1', (spec) => keyOfPem(textAt(objectAt(spec, 'signature', 'publicKey'), 'content'))],
  ['dsse/0.0.1', (spec) => keyOfPem(textAt(objectsAt(spec, 'signatures')[0], 'verifier'))],
  ['hashedrekord/0.0.2', (spec) => keyOfVerifier(objectAt(spec, 'hashedRekordV002', 'signature', 'verifier'))],
  ['dsse/0.0.2', (spec) => keyOfVerifier(objectAt(objectsAt(objectAt(spec, 'dsseV002'), 'signatures')[0], 'verifier'))],
]);

/** The entry is about a signature of that key, which the library does not verify.
 *  @throws TerminalError BadSignature
 *  @see Sigstore client specification, "Verification", step 4 */
export function assertEntryKey(canonicalizedBody: Buffer, key: KeyObject): void {
  const entry: JsonValue = parseJson('the transparency log entry', canonicalizedBody.toString());
  const object = objectAt({ entry }, 'entry');
  const kind = `${textAt(object, 'kind')}/${textAt(object, 'apiVersion')}`;
  const entryKey = keysIn.get(kind)?.(objectAt(object, 'spec'));
  if (entryKey === undefined || entryKey.equals(key)) return;
  throw new TerminalError('BadSignature', 'its transparency log entry is about another key');
}
