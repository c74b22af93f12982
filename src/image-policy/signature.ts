import { errorMessage, serverText } from '../base/index.ts';
import type { SigstoreSigner } from './signer.ts';
import type { SigstoreBundle } from './sigstore-bundle.ts';
import type { CosignSignature } from './simple-signature.ts';

/** Why the signature does not show that the signer has signed the image of that digest; undefined when it does. The first call loads
 *  Sigstore's library. */
export async function signatureProblem(
  signature: CosignSignature | SigstoreBundle,
  digest: string,
  signer: SigstoreSigner,
): Promise<string | undefined> {
  const { verifySignature } = await import('./verification.ts');
  try {
    verifySignature(signature, digest, signer);
    return undefined;
  } catch (thrown) {
    // Anyone may have written the signature: whatever is wrong with it, it does not count, and may be repeated at any length.
    return serverText(errorMessage(thrown));
  }
}
