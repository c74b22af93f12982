/** Allowed images and their required signers: reads the policy, finds the rule for an image, verifies its signatures by Sigstore's library.
 *  Main type: `ImagePolicy`. Never fetches anything.
 *  @imports src/base
 *  @packages @sigstore/bundle, @sigstore/protobuf-specs, @sigstore/verify */
export { maxPayloadBytes, maxSignatures, signaturesIn, signatureTag, type UnreadSignature } from './cosign-manifest.ts';
export { type ImagePolicy, type ImageRule, parseImagePolicy, type Signer } from './policy.ts';
export { ruleFor } from './rules.ts';
export { signatureProblem } from './signature.ts';
export { bundleIn, bundleManifestsIn, maxBundleBytes, type SigstoreBundle } from './sigstore-bundle.ts';
export type { CosignSignature } from './simple-signature.ts';
