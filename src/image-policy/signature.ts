import { createPublicKey, X509Certificate } from 'node:crypto';
import { errorMessage, TerminalError } from '../base/index.ts';
import { assertCertificate } from './keyless.ts';
import type { Signer } from './policy.ts';
import type { ReadSignature } from './read-signature.ts';
import { loggedAtMs } from './rekor.ts';
import { readSigstoreBundle, type SigstoreBundle } from './sigstore-bundle.ts';
import { type CosignSignature, readSimpleSignature } from './simple-signature.ts';
import { isSignedBy } from './verify.ts';

function refuse(why: string): never {
  throw new TerminalError('BadSignature', why);
}

function assertKey({ signed, signature, certificatePem }: ReadSignature, signer: Signer): string {
  if (signer.kind === 'key') {
    if (!isSignedBy(createPublicKey(signer.key), signed, signature)) refuse('it does not match the key');
    return signer.key;
  }
  if (certificatePem === undefined) return refuse('it has no certificate');
  const { publicKey } = new X509Certificate(certificatePem);
  if (!isSignedBy(publicKey, signed, signature)) refuse('it does not match the certificate');
  return certificatePem;
}

async function assertSigner(read: ReadSignature, signer: Signer): Promise<void> {
  const signerPem = assertKey(read, signer);
  if (signer.rekorKey === undefined) return;
  if (read.note === undefined) return refuse('it has no transparency log entry');
  const timeMs = loggedAtMs(read.note, createPublicKey(signer.rekorKey), { ...read, signerPem });
  if (signer.kind === 'keyless') {
    await assertCertificate({ certificatePem: signerPem, chainPem: read.chainPem }, signer, timeMs);
  }
}

/** Why the signature does not show that the signer has signed the image of that digest; undefined when it does. */
export async function signatureProblem(
  signature: CosignSignature | SigstoreBundle,
  digest: string,
  signer: Signer,
): Promise<string | undefined> {
  try {
    const read = 'bundle' in signature ? readSigstoreBundle(signature) : readSimpleSignature(signature);
    await assertSigner(read, signer);
    if (read.subject !== digest) refuse(`it is for ${read.subject.slice(0, 100) || 'nothing'}`);
    return undefined;
  } catch (thrown) {
    // Any error means an invalid signature, which anyone may have made.
    return errorMessage(thrown);
  }
}
