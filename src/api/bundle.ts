import { apiVersion } from './constants.ts';
import type { BundleSpecSource } from './generated/bundle.ts';
import type { Resource } from './resource.ts';

/** `spec.source` of a Bundle: `type` and, in a valid object, the member of that name. */
export type BundleSource = BundleSpecSource;

/** Values of `spec.source.type`, in the order in which messages name them. */
export const sourceTypes = ['image', 'git', 'configMaps', 'upload', 'http'] as const;
/** One of `sourceTypes`. */
export type SourceType = (typeof sourceTypes)[number];

/** Values of `status.phase`. */
export type BundlePhase = 'Pending' | 'Unpacking' | 'Unpacked' | 'Failing';
/** The only condition of a Bundle. */
export type BundleConditionType = 'Unpacked';
/** Reasons of `Unpacked`. */
export type BundleReason =
  | 'UnpackPending'
  | 'Unpacking'
  | 'UnpackSuccessful'
  | 'UnpackFailed'
  | 'NoProvisioner'
  | 'ProcessingFinalizerFailed';

/** Where the kind is served. */
export const bundleResource: Resource = { apiVersion, kind: 'Bundle', plural: 'bundles' };

/** Whether `type` is one that a Bundle may have. */
export function isSourceType(type: string): type is SourceType {
  return sourceTypes.some((known) => known === type);
}
