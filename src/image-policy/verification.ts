import { verify as verifyBytes, X509Certificate } from 'node:crypto';
import { type SignedEntity, toSignedEntity, VerificationError, Verifier } from '@sigstore/verify';
import { TerminalError } from '../base/index.ts';
import { matchesGlob } from './glob.ts';
import { assertEntryKey } from './log-entry-key.ts';
import { type ReadSignature, readSigstoreBundle, readSimpleSignature } from './read-signature.ts';
import type { SigstoreSigner } from './signer.ts';
import type { SigstoreBundle } from './sigstore-bundle.ts';
import type { CosignSignature } from './simple-signature.ts';
import { type Trust, trustOf } from './trust.ts';

type KeylessSigner = Exclude<SigstoreSigner, { readonly kind: 'key' }>;

const codeSigning = '1.3.6.1.5.5.7.3.3';
const unknownLog =
  'its certificate has a timestamp of a certificate transparency log (SCT), for which the policy has no key: add its ctlogKey, or use a trustedRoot';

function refuse(why: string): never {
  throw new TerminalError('BadSignature', why);
}

/** The library verifies a signature of bytes by SHA-256, which Ed25519 has built in. */
function contentOf({ signature }: SignedEntity, artifact: Buffer | undefined): SignedEntity['signature'] {
  if (artifact === undefined) return signature;
  return {
    signature: signature.signature,
    compareSignature: (other) => signature.compareSignature(other),
    compareDigest: (other) => signature.compareDigest(other),
    compareSignedDigest: (other) => signature.compareSignedDigest(other),
    verifySignature: (key) =>
      key.asymmetricKeyType === 'ed25519'
        ? verifyBytes(null, artifact, key, signature.signature)
        : signature.verifySignature(key),
  };
}

/** The entity, reduced to what the policy has keys for: proofs that it does not ask for are ignored, as cosign does. */
function relevantOf(entity: SignedEntity, signer: SigstoreSigner, { material }: Trust): SignedEntity {
  const hasLogs = material.tlogs.length > 0;
  const hasAuthorities = material.timestampAuthorities.length > 0;
  return {
    ...entity,
    key: signer.kind === 'key' ? { $case: 'public-key', hint: '' } : entity.key,
    tlogEntries: hasLogs ? entity.tlogEntries : [],
    timestamps: entity.timestamps.filter(({ $case }) => ($case === 'timestamp-authority' ? hasAuthorities : hasLogs)),
  };
}

function describe(thrown: VerificationError, signer: SigstoreSigner): string {
  const { code, message } = thrown;
  const cause: unknown = thrown.cause;
  if (code === 'SIGNATURE_ERROR') return `it does not match the ${signer.kind === 'key' ? 'key' : 'certificate'}`;
  const details = cause instanceof Error ? `${message}: ${cause.message}` : message;
  if (message === 'SCT verification failed' && signer.kind === 'keyless' && signer.ctlogKey === undefined)
    return unknownLog;
  if (code === 'CERTIFICATE_ERROR') return `its certificate is not trusted: ${details}`;
  if (code === 'TIMESTAMP_ERROR') return `its timestamp is not trusted: ${details}`;
  return code.startsWith('TLOG') ? `its transparency log entry is not trusted: ${details}` : details;
}

function verify(
  entity: SignedEntity,
  signer: SigstoreSigner,
  { material, needsTime }: Trust,
): ReturnType<Verifier['verify']> {
  const tlogThreshold = Math.min(material.tlogs.length, 1);
  if (entity.tlogEntries.length < tlogThreshold) refuse('it has no transparency log entry');
  const verifier = new Verifier(material, {
    tlogThreshold,
    ctlogThreshold: Math.min(material.ctlogs.length, 1),
    timestampThreshold: needsTime ? 1 : 0,
  });
  try {
    return verifier.verify(entity);
  } catch (thrown) {
    if (thrown instanceof VerificationError) return refuse(describe(thrown, signer));
    throw thrown;
  }
}

function certificateIn({ bundle }: ReadSignature): X509Certificate {
  const { content } = bundle.verificationMaterial;
  if (content.$case === 'publicKey') return refuse('it has no certificate');
  const leaf = content.$case === 'certificate' ? content.certificate : content.x509CertificateChain.certificates[0];
  return new X509Certificate(leaf?.rawBytes ?? Buffer.of());
}

function assertIdentity(identity: ReturnType<Verifier['verify']>['identity'], signer: KeylessSigner): void {
  const issuer = identity?.extensions?.issuer ?? '';
  const subject = identity?.subjectAlternativeName ?? '';
  if (issuer !== signer.issuer)
    refuse(`its certificate has the issuer "${issuer.slice(0, 200)}", expected "${signer.issuer}"`);
  if (!matchesGlob(signer.subject, subject))
    refuse(`its certificate has the subject ${JSON.stringify(subject.slice(0, 200))}, expected "${signer.subject}"`);
}

/** The signer has signed the image of that digest.
 *  @throws Error with the reason */
export function verifySignature(
  signature: CosignSignature | SigstoreBundle,
  digest: string,
  signer: SigstoreSigner,
): void {
  const read = 'bundle' in signature ? readSigstoreBundle(signature) : readSimpleSignature(signature);
  if (signer.kind !== 'key' && !certificateIn(read).keyUsage?.includes(codeSigning))
    refuse('its certificate is not a code signing certificate');
  const entries = read.bundle.verificationMaterial.tlogEntries;
  const names = entries.map(({ inclusionProof }) => inclusionProof?.checkpoint?.envelope ?? '').join('\n');
  const trust = trustOf(signer, names);
  const signed = toSignedEntity(read.bundle, read.artifact);
  const entity = relevantOf({ ...signed, signature: contentOf(signed, read.artifact) }, signer, trust);
  const { key, identity } = verify(entity, signer, trust);
  for (const { canonicalizedBody } of entity.tlogEntries) assertEntryKey(canonicalizedBody, key);
  if (signer.kind !== 'key') assertIdentity(identity, signer);
  if (read.subject !== digest) refuse(`it is for ${read.subject.slice(0, 100) || 'nothing'}`);
}
