import { createHash, X509Certificate } from 'node:crypto';
import { assertBundle, type Bundle as ValidBundle } from '@sigstore/bundle';
import { Bundle, type VerificationMaterial } from '@sigstore/protobuf-specs';
import {
  type JsonObject,
  objectAt,
  objectsAt,
  parseJson,
  splitCertificates,
  TerminalError,
  textAt,
  valueAt,
} from '../base/index.ts';
import type { SigstoreBundle } from './sigstore-bundle.ts';
import type { CosignSignature } from './simple-signature.ts';

/** A signature as the library verifies it, and the image that it is about. */
export interface ReadSignature {
  readonly bundle: ValidBundle;
  /** The signed bytes, where the bundle does not contain them. */
  readonly artifact: Buffer | undefined;
  /** Digest of the image. */
  readonly subject: string;
}

const keys = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  logEntry: 'dev.sigstore.cosign/bundle',
  timestamp: 'dev.sigstore.cosign/rfc3161timestamp',
};
const maxEntries = 32;
const maxTimestamps = 32;
/** Together: the library takes a second for half a MiB of tiny values. */
const maxDerBytes = 64 * 1024;
/** Of all entries together: logs have a few, with those of their witnesses. */
const maxCheckpointSignatures = 256;
/** Each line of a checkpoint with a signature begins with it. */
const checkpointSignature = '\u2014 ';
const claimType = 'cosign container image signature';
const statementType = 'application/vnd.in-toto+json';
const signPredicate = 'https://sigstore.dev/cosign/sign/v1';

function refuse(why: string): never {
  throw new TerminalError('BadSignature', why);
}

function certificatesIn(content: VerificationMaterial['content']): readonly Buffer[] {
  if (content?.$case === 'certificate') return [content.certificate.rawBytes];
  if (content?.$case !== 'x509CertificateChain') return [];
  return content.x509CertificateChain.certificates.map(({ rawBytes }) => rawBytes);
}

/** Each is verified with the keys of the policy, in one turn: what anyone may attach must not have as many as its size allows.
 *  @see sigstore-go, which has the same limits of entries and timestamps */
function assertFew({ verificationMaterial: material }: Bundle): void {
  const entries = material?.tlogEntries ?? [];
  const envelopes = entries.map(({ inclusionProof }) => inclusionProof?.checkpoint?.envelope ?? '');
  const timestamps = material?.timestampVerificationData?.rfc3161Timestamps ?? [];
  const counts = {
    'transparency log entries': { count: entries.length, limit: maxEntries },
    timestamps: { count: timestamps.length, limit: maxTimestamps },
    'bytes of certificates and timestamps': {
      count: [...certificatesIn(material?.content), ...timestamps.map(({ signedTimestamp }) => signedTimestamp)].reduce(
        (sum, { length }) => sum + length,
        0,
      ),
      limit: maxDerBytes,
    },
    'signatures of checkpoints': {
      count: envelopes.reduce((sum, envelope) => sum + envelope.split(checkpointSignature).length - 1, 0),
      limit: maxCheckpointSignatures,
    },
  };
  for (const [what, { count, limit }] of Object.entries(counts)) {
    if (count > limit) refuse(`it has ${count} ${what}, more than the limit of ${limit}`);
  }
}

function readBundle(document: unknown): ValidBundle {
  const bundle = Bundle.fromJSON(document);
  assertFew(bundle);
  assertBundle(bundle);
  const entries = bundle.verificationMaterial.tlogEntries;
  if (entries.some(({ inclusionProof }) => inclusionProof !== undefined && inclusionProof.checkpoint === undefined)) {
    refuse('its transparency log entry has an inclusion proof without a checkpoint');
  }
  return bundle;
}

function numberIn(payload: JsonObject | undefined, field: string): string {
  const value = valueAt(payload, field);
  return typeof value === 'number' ? value.toFixed(0) : refuse(`its transparency log entry has no ${field}`);
}

/** The annotation of cosign as an entry of `tlogEntries`. */
function logEntryOf(text: string): JsonObject {
  const note = objectAt({ note: parseJson('the transparency log entry', text) }, 'note');
  const payload = objectAt(note, 'Payload');
  const body = textAt(payload, 'body');
  const entry = objectAt(
    { entry: parseJson('the transparency log entry', Buffer.from(body, 'base64').toString()) },
    'entry',
  );
  return {
    logIndex: numberIn(payload, 'logIndex'),
    logId: { keyId: Buffer.from(textAt(payload, 'logID'), 'hex').toString('base64') },
    kindVersion: { kind: textAt(entry, 'kind'), version: textAt(entry, 'apiVersion') },
    integratedTime: numberIn(payload, 'integratedTime'),
    inclusionPromise: { signedEntryTimestamp: textAt(note, 'SignedEntryTimestamp') },
    canonicalizedBody: body,
  };
}

function timestampOf(text: string): JsonObject {
  const annotation = objectAt({ annotation: parseJson('the signed timestamp', text) }, 'annotation');
  return { signedTimestamp: textAt(annotation, 'SignedRFC3161Timestamp') };
}

function signedWith(certificatePem: string | undefined): JsonObject {
  const [leaf] = splitCertificates(certificatePem ?? '');
  if (leaf === undefined) return { publicKey: {} };
  return { certificate: { rawBytes: new X509Certificate(leaf).raw.toString('base64') } };
}

/** @throws TerminalError BadSignature, InvalidJson
 *  @see cosign, SIGNATURE_SPEC.md, "Simple Signing" */
export function readSimpleSignature({ payload, annotations }: CosignSignature): ReadSignature {
  const critical = objectAt({ claim: parseJson('the signed claim', payload.toString()) }, 'claim', 'critical');
  const type = textAt(critical, 'type');
  if (type !== claimType) refuse(`it is a claim of the type "${type.slice(0, 100)}"`);
  const { [keys.logEntry]: logEntry, [keys.timestamp]: timestamp, [keys.signature]: signature } = annotations;
  if (!signature) refuse('its manifest has no signature');
  const bundle = readBundle({
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      ...signedWith(annotations[keys.certificate]),
      tlogEntries: logEntry ? [logEntryOf(logEntry)] : [],
      timestampVerificationData: { rfc3161Timestamps: timestamp ? [timestampOf(timestamp)] : [] },
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: createHash('sha256').update(payload).digest('base64') },
      signature,
    },
  });
  return { bundle, artifact: payload, subject: textAt(objectAt(critical, 'image'), 'docker-manifest-digest') };
}

function subjectOf(content: Buffer): string {
  const statement = objectAt({ statement: parseJson('the signed statement', content.toString()) }, 'statement');
  const predicate = textAt(statement, 'predicateType');
  if (predicate !== signPredicate)
    refuse(`it is a statement of the type "${predicate.slice(0, 100)}", not a signature`);
  const subjects = objectsAt(statement, 'subject');
  if (subjects.length !== 1) refuse(`it has ${subjects.length} subjects, expected one`);
  return `sha256:${textAt(objectAt(subjects[0], 'digest'), 'sha256')}`;
}

/** @throws TerminalError BadSignature, InvalidJson
 *  @see sigstore/protobuf-specs, sigstore_bundle.proto */
export function readSigstoreBundle({ bundle: json }: SigstoreBundle): ReadSignature {
  const document = objectAt({ bundle: parseJson('the bundle', json.toString()) }, 'bundle');
  const type = textAt(objectAt(document, 'dsseEnvelope'), 'payloadType');
  if (type !== statementType) refuse(`it holds "${type.slice(0, 100)}", not a statement (${statementType})`);
  const bundle = readBundle(document);
  if (bundle.content.$case !== 'dsseEnvelope') return refuse('it has no envelope');
  return { bundle, artifact: undefined, subject: subjectOf(bundle.content.dsseEnvelope.payload) };
}
