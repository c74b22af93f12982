import {
  isJsonObject,
  isSha256Digest,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  parseJson,
  TerminalError,
  textAt,
} from '../base/index.ts';
import type { ReadSignature } from './read-signature.ts';
import { readEntry } from './rekor.ts';

/** A signature as Sigstore's bundles hold it, attached to its image. */
export interface SigstoreBundle {
  /** JSON. */
  readonly bundle: Buffer;
}

/** Of one bundle. */
export const maxBundleBytes: number = 512 * 1024;

const bundleType = 'application/vnd.dev.sigstore.bundle';
const statementType = 'application/vnd.in-toto+json';
const signPredicate = 'https://sigstore.dev/cosign/sign/v1';
const predicateAnnotation = 'dev.sigstore.bundle.predicateType';

function refuse(why: string): never {
  throw new TerminalError('BadSignature', why);
}

function isBundle(type: string): boolean {
  return type === bundleType || type.startsWith(`${bundleType}.`) || type.startsWith(`${bundleType}+`);
}

/** Digests of the manifests that an index of what is attached to an image lists as bundles; what they say to be something else than a
 *  signature is left out.
 *  @see OCI distribution-spec 1.1, "Listing Referrers" */
export function bundleManifestsIn(index: JsonValue, maxCount: number): readonly string[] {
  const manifests = isJsonObject(index) ? objectsAt(index, 'manifests') : [];
  return manifests
    .filter((one) => isBundle(textAt(one, 'artifactType')) && isSha256Digest(textAt(one, 'digest')))
    .filter((one) => [signPredicate, ''].includes(textAt(objectAt(one, 'annotations'), predicateAnnotation)))
    .slice(0, maxCount)
    .map((one) => textAt(one, 'digest'));
}

/** Digest of the bundle that a manifest holds; undefined when it holds none. */
export function bundleIn(manifest: JsonValue): string | undefined {
  const layers = isJsonObject(manifest) ? objectsAt(manifest, 'layers') : [];
  const digest = textAt(
    layers.find((layer) => isBundle(textAt(layer, 'mediaType'))),
    'digest',
  );
  return isSha256Digest(digest) ? digest : undefined;
}

/** What a DSSE envelope signs.
 *  @see secure-systems-lab/dsse, protocol.md, "Pre-Authentication Encoding" */
function encoded(type: string, content: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${content.length} `;
  return Buffer.concat([Buffer.from(head), content]);
}

function pemOf(der: string): string {
  const lines =
    Buffer.from(der, 'base64')
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** The certificate that the signature was made with comes first; none where a key has signed. */
function certificatesIn(material: JsonObject | undefined): readonly string[] {
  const alone = textAt(objectAt(material, 'certificate'), 'rawBytes');
  const chain = objectsAt(objectAt(material, 'x509CertificateChain'), 'certificates').map((one) =>
    textAt(one, 'rawBytes'),
  );
  return (alone === '' ? chain : [alone]).filter((der) => der !== '').map(pemOf);
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

/** @throws TerminalError BadSignature, InvalidJson for what is none
 *  @see sigstore/protobuf-specs, sigstore_bundle.proto */
export function readSigstoreBundle({ bundle }: SigstoreBundle): ReadSignature {
  const document = objectAt({ bundle: parseJson('the bundle', bundle.toString()) }, 'bundle');
  const material = objectAt(document, 'verificationMaterial');
  const envelope = objectAt(document, 'dsseEnvelope');
  const type = textAt(envelope, 'payloadType');
  if (type !== statementType) refuse(`it holds "${type.slice(0, 100)}", not a statement (${statementType})`);
  const content = Buffer.from(textAt(envelope, 'payload'), 'base64');
  const [certificatePem, ...others] = certificatesIn(material);
  const [entry] = objectsAt(material, 'tlogEntries');
  return {
    signed: encoded(type, content),
    content,
    signature: textAt(objectsAt(envelope, 'signatures')[0], 'sig'),
    certificatePem,
    chainPem: others.join(''),
    note: entry === undefined ? undefined : readEntry(entry),
    subject: subjectOf(content),
  };
}
