import type { Resource } from './resource.ts';

/** Where the kind is served. */
export const clusterExtensionResource: Resource = {
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterExtension',
  plural: 'clusterextensions',
};

/** On every ClusterExtension: what it installed is removed before the object is deleted. */
export const extensionFinalizer = 'olm.operatorframework.io/cleanup-unpack-cache';

/** On a Bundle that was made for a ClusterExtension: name, package, version and image of the bundle, as the catalog has them. */
export const bundleNameAnnotation = 'olm.operatorframework.io/bundle-name';
export const packageNameAnnotation = 'olm.operatorframework.io/package-name';
export const bundleVersionAnnotation = 'olm.operatorframework.io/bundle-version';
export const bundleReferenceAnnotation = 'olm.operatorframework.io/bundle-reference';
/** On a BundleDeployment that was made for a ClusterExtension: what was chosen, in JSON, with where it comes from and why. */
export const extensionChoiceAnnotation = 'olm.operatorframework.io/choice';

/** Condition types of a ClusterExtension. */
export type ClusterExtensionConditionType =
  | 'Installed'
  | 'Progressing'
  | 'Deprecated'
  | 'PackageDeprecated'
  | 'ChannelDeprecated'
  | 'BundleDeprecated';
/** Reasons of `Installed` and `Progressing`. */
export type ClusterExtensionReason =
  | 'Succeeded'
  | 'Failed'
  | 'Absent'
  | 'Retrying'
  | 'RollingOut'
  | 'Blocked'
  | 'InvalidConfiguration'
  | 'ProgressDeadlineExceeded';
