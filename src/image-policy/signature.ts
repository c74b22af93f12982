import { createPublicKey, X509Certificate } from 'node:crypto';
import { errorMessage, objectAt, parseJson, TerminalError, textAt } from '../base/index.ts';
import { assertCertificate } from './keyless.ts';
import type { Signer } from './policy.ts';
import { loggedAtMs } from './rekor.ts';
import { isSignedBy } from './verify.ts';

/** A signature of an image as cosign keeps it. */
export interface CosignSignature {
  /** What was signed. */
  readonly payload: Buffer;
  readonly annotations: Readonly<Record<string, string>>;
}

const keys = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  chain: 'dev.sigstore.cosign/chain',
  bundle: 'dev.sigstore.cosign/bundle',
};

function refuse(why: string): never {
  throw new TerminalError('BadSignature', why);
}

/** @see cosign, SIGNATURE_SPEC.md, "Simple Signing" */
function assertAbout(payload: Buffer, digest: string): void {
  const critical = objectAt({ claim: parseJson('the signed claim', payload.toString()) }, 'claim', 'critical');
  const type = textAt(critical, 'type');
  if (type !== 'cosign container image signature') refuse(`it is a claim of the type "${type.slice(0, 100)}"`);
  const claimed = textAt(objectAt(critical, 'image'), 'docker-manifest-digest');
  if (claimed !== digest) refuse(`it is about ${claimed.slice(0, 100) || 'nothing'}`);
}

/** What the signature says it was made with. */
interface Made {
  readonly signature: string;
  readonly certificatePem: string;
  readonly chainPem: string;
  /** Of the transparency log. */
  readonly bundle: string;
}

function madeWith({ annotations }: CosignSignature): Made {
  return {
    signature: annotations[keys.signature] ?? '',
    certificatePem: annotations[keys.certificate] ?? '',
    chainPem: annotations[keys.chain] ?? '',
    bundle: annotations[keys.bundle] ?? '',
  };
}

function assertKey({ payload }: CosignSignature, { signature, certificatePem }: Made, signer: Signer): string {
  if (signer.kind === 'key') {
    if (!isSignedBy(createPublicKey(signer.key), payload, signature)) refuse('it is not by the key');
    return signer.key;
  }
  if (certificatePem === '') refuse('it has no certificate');
  const { publicKey } = new X509Certificate(certificatePem);
  if (!isSignedBy(publicKey, payload, signature)) refuse('it is not by the certificate');
  return certificatePem;
}

async function assertSigner(subject: CosignSignature, signer: Signer): Promise<void> {
  const made = madeWith(subject);
  const signerPem = assertKey(subject, made, signer);
  if (signer.rekorKey === undefined) return;
  if (made.bundle === '') refuse('it has no note of the transparency log');
  const logged = { payload: subject.payload, signature: made.signature, signerPem };
  const timeMs = loggedAtMs(made.bundle, createPublicKey(signer.rekorKey), logged);
  if (signer.kind === 'keyless') await assertCertificate(made, signer, timeMs);
}

/** Why the signature does not show that the signer has signed the image of that digest; undefined when it does. */
export async function signatureProblem(
  signature: CosignSignature,
  digest: string,
  signer: Signer,
): Promise<string | undefined> {
  try {
    await assertSigner(signature, signer);
    assertAbout(signature.payload, digest);
    return undefined;
  } catch (thrown) {
    // Whatever it is: the signature is not good, and was made by anybody.
    return errorMessage(thrown);
  }
}
