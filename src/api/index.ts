/** The words of `core.rukpak.io/v1alpha1` and of the kinds of catalogs: kinds, condition types, reasons, labels, and the checks that turn raw JSON into typed values.
 *  Main type: `Bundle`. Never talks to a cluster.
 *  @imports src/schema, src/base */
export {
  type BundleConditionType,
  type BundlePhase,
  type BundleReason,
  type BundleSource,
  bundleResource,
  isSourceType,
  type SourceType,
  sourceTypes,
} from './bundle.ts';
export {
  type BundleDeploymentConditionType,
  type BundleDeploymentRecord,
  type BundleTemplate,
  bundleDeploymentResource,
  type HasValidBundleReason,
  type HealthyReason,
  type InstalledReason,
  type ObjectsKeptReason,
  type PausedReason,
  type RemovingReason,
} from './bundle-deployment.ts';
export {
  type ClusterCatalogConditionType,
  type ClusterCatalogReason,
  catalogFinalizer,
  catalogNameLabel,
  clusterCatalogResource,
} from './cluster-catalog.ts';
export type { Condition } from './condition.ts';
export {
  adoptAnnotation,
  apiVersion,
  bundleAnnotationPrefix,
  bundlePropertiesAnnotation,
  cachedBundleFinalizer,
  crdSafetyIgnoreAnnotation,
  type DependencyPolicy,
  defaultSystemNamespace,
  deleteCrdsAnnotation,
  dependenciesAnnotation,
  dependencyPolicies,
  group,
  hasDependenciesLabel,
  ignoreDependenciesAnnotation,
  injectCaAnnotation,
  installFieldManager,
  leaderLabel,
  leaderLease,
  namespaceMadeForAnnotation,
  orphanAnnotation,
  ownerKindLabel,
  ownerNameLabel,
  ownSecretNames,
  packageAnnotation,
  packageVersionAnnotation,
  pausedAnnotation,
  plainProvisionerClass,
  registryProvisionerClass,
  releasedFromAnnotation,
  safeCrdUpgradeAnnotation,
  secretHostsAnnotation,
  secretUnverifiedAnnotation,
  servingCertificateAnnotation,
  shardCountAnnotation,
  shardLabel,
  shardUrlAnnotation,
  storedContentAnnotation,
  templateHashLabel,
} from './constants.ts';
export { readDeploymentConfig, type ServiceAccountName } from './deployment-config.ts';
export type { Bundle, BundleSpec, BundleStatus } from './generated/bundle.ts';
export type {
  BundleDeployment,
  BundleDeploymentSpec,
  BundleDeploymentStatus,
} from './generated/bundle-deployment.ts';
export type { ClusterCatalog, ClusterCatalogSpec, ClusterCatalogStatus } from './generated/cluster-catalog.ts';
export type {
  PlatformOperator,
  PlatformOperatorSpec,
  PlatformOperatorStatus,
} from './generated/platform-operator.ts';
export { type ImageReference, parseImageReference } from './image-reference.ts';
export type { ObjectMeta, OwnerReference } from './object-meta.ts';
export { parseBundle, parseBundleDeployment, parseClusterCatalog, parsePlatformOperator } from './parse.ts';
export {
  type PlatformInstalledReason,
  type PlatformOperatorConditionType,
  platformChoiceAnnotation,
  platformOperatorResource,
  platformPackageLabel,
  type UpToDateReason,
} from './platform-operator.ts';
export type { Resource } from './resource.ts';
export { isSameSpec } from './same-spec.ts';
