import { isJsonObject, isSha256Digest, type JsonValue, objectAt, objectsAt, textAt } from '../base/index.ts';

/** A signature as Sigstore's bundles hold it, attached to its image. */
export interface SigstoreBundle {
  /** JSON. */
  readonly bundle: Buffer;
}

/** Of one bundle. */
export const maxBundleBytes: number = 512 * 1024;

const bundleType = 'application/vnd.dev.sigstore.bundle';
const signPredicate = 'https://sigstore.dev/cosign/sign/v1';
const predicateAnnotation = 'dev.sigstore.bundle.predicateType';

function isBundle(type: string): boolean {
  return type === bundleType || type.startsWith(`${bundleType}.`) || type.startsWith(`${bundleType}+`);
}

/** Digests of the manifests that an index of what is attached to an image lists as bundles; those declared as something else than a
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
