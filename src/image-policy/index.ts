/** Allowed images and their required signers: reads the policy, finds the rule for an image, verifies its signatures by Sigstore's library, and
 *  the provenance of charts by that for OpenPGP.
 *  Main type: `ImagePolicy`. Never fetches anything.
 *  @imports src/openpgp, src/base
 *  @packages @sigstore/bundle, @sigstore/protobuf-specs, @sigstore/verify */
export type { AddressRule } from './address-rule.ts';
export { maxPayloadBytes, maxSignatures, signaturesIn, signatureTag, type UnreadSignature } from './cosign-manifest.ts';
export {
  type ImagePolicy,
  type ImageRule,
  parseImagePolicy,
} from './policy.ts';
export { maxProvenanceBytes, type PackedChart, provenanceProblem } from './provenance.ts';
export { addressRuleFor, ruleFor } from './rules.ts';
export { signatureProblem } from './signature.ts';
export type { OpenpgpSigner, Signer, SigstoreSigner } from './signer.ts';
export { bundleIn, bundleManifestsIn, maxBundleBytes, type SigstoreBundle } from './sigstore-bundle.ts';
export type { CosignSignature } from './simple-signature.ts';
