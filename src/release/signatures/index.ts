/** Signatures of releases: whether trusted keys have signed the digest of a release. Main function: `verifyRelease`, which searches stores one after
 *  the other for signatures until every key ring of the verifier has one.
 *
 *  - `readVerifier` finds the key rings and the addresses of stores in the manifests of a payload: that of the release which runs, never of the one
 *    that is verified.
 *  - `configMapStore` reads signatures of ConfigMaps, `storesAt` those of web servers and folders; `serialStore` joins stores. An engine searches the
 *    ConfigMaps of the cluster first, then either the stores that its administrator has set or those of the payload.
 *  - `signaturesConfigMap` is the object in which verified signatures are kept, for clusters without access to the stores.
 *
 *  The message of an `UnverifiedReleaseError` is what follows `The update cannot be verified: ` in conditions; `explained` adds every place that was tried.
 *
 *  A signature is a signed OpenPGP message about one digest, so nothing depends on where it was found. Bounded: 9 signatures of 50 KiB a
 *  store, 100 of ConfigMaps, two minutes in all.
 *  @see docs/spec/cluster-version.md#release-verification
 *  @imports src/release, src/openpgp, src/sources, src/base */

export { atomicSignature } from './atomic-signature.ts';
export {
  configMapStore,
  type FoundSignatures,
  findInStore,
  type SignatureConfigMap,
  type SignatureStore,
  type StoreAddress,
  serialStore,
  signaturesConfigMap,
  signaturesLabel,
  storesAt,
  unusableStore,
} from './stores.ts';
export { type ReleaseVerifier, readVerifier } from './verifier.ts';
export { forcedText, UnverifiedReleaseError, type VerifiedRelease, verifyRelease } from './verify-release.ts';
