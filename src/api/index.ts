/** The words of `core.rukpak.io/v1alpha1`, of the kinds of catalogs and of cluster updates: kinds, condition types, reasons, labels, and the checks that turn raw JSON into typed values.
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
  type TestedReason,
} from './bundle-deployment.ts';
export {
  type CatalogConnectionState,
  type CatalogSourceConditionType,
  type CatalogSourceReason,
  type CatalogSourceType,
  catalogServiceAnnotation,
  catalogSourceResource,
  type TemplatesResolvedReason,
} from './catalog-source.ts';
export {
  type ClusterCatalogConditionType,
  type ClusterCatalogReason,
  catalogFinalizer,
  catalogNameLabel,
  clusterCatalogResource,
} from './cluster-catalog.ts';
export {
  bundleNameAnnotation,
  bundleReferenceAnnotation,
  bundleVersionAnnotation,
  type ClusterExtensionConditionType,
  type ClusterExtensionReason,
  clusterExtensionResource,
  extensionChoiceAnnotation,
  extensionFinalizer,
  packageNameAnnotation,
} from './cluster-extension.ts';
export {
  type ClusterOperatorConditionType,
  clusterOperatorResource,
} from './cluster-operator.ts';
export {
  type ClusterServiceVersionPhase,
  type ClusterServiceVersionReason,
  clusterServiceVersionResource,
  type DependentStatus,
  type InstallModeType,
  type RequirementStatus,
} from './cluster-service-version.ts';
export {
  type ClusterVersionConditionType,
  clusterVersionFieldManager,
  clusterVersionName,
  clusterVersionResource,
} from './cluster-version.ts';
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
  helmProvisionerClass,
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
  testAnnotation,
} from './constants.ts';
export { readDeploymentConfig, type ServiceAccountName } from './deployment-config.ts';
export { drainRuleResource } from './drain-rule.ts';
export type { Bundle, BundleSpec, BundleStatus } from './generated/bundle.ts';
export type {
  BundleDeployment,
  BundleDeploymentSpec,
  BundleDeploymentStatus,
} from './generated/bundle-deployment.ts';
export type { CatalogSource, CatalogSourceSpec, CatalogSourceStatus } from './generated/catalog-source.ts';
export type { ClusterCatalog, ClusterCatalogSpec, ClusterCatalogStatus } from './generated/cluster-catalog.ts';
export type { ClusterExtension } from './generated/cluster-extension.ts';
export type {
  ClusterOperator,
  ClusterOperatorStatus,
  OperandVersion,
  RelatedObject,
} from './generated/cluster-operator.ts';
export type {
  ClusterServiceVersion,
  ClusterServiceVersionSpec,
  ClusterServiceVersionStatus,
} from './generated/cluster-service-version.ts';
export type {
  ClusterCondition,
  ClusterRelease,
  ClusterVersion,
  ClusterVersionSpec,
  ClusterVersionSpecDesiredUpdate as DesiredUpdate,
  ClusterVersionStatus,
  ClusterVersionStatusProgress as ReleaseProgress,
  ComponentOverride,
  ConditionalUpdate,
  OperatorStatusCondition,
  ProgressBlocker,
  ProgressLevel,
  UpdateCondition,
  UpdateHistory,
  UpdateRisk,
} from './generated/cluster-version.ts';
export type {
  InstallPlan,
  InstallPlanSpec,
  InstallPlanStatus,
  InstallPlanStatusCondition as InstallPlanCondition,
  InstallPlanStatusPlan as InstallPlanStep,
  ObjectReference,
} from './generated/install-plan.ts';
export type {
  LifecycleHook,
  LifecycleHooks,
  Machine,
  MachineCondition,
  MachineSpec,
  MachineStatus,
} from './generated/machine.ts';
export type { MachineConfig, MachineConfigSpec } from './generated/machine-config.ts';
export type {
  MachineConfigPool,
  MachineConfigPoolSpec,
  MaintenanceWindow,
  PoolCondition,
  RolloutCanaryStatus,
  RolloutCheck,
  RolloutCheckJob,
  RolloutHold,
  RolloutStatus,
} from './generated/machine-config-pool.ts';
export type { MachineHealthCheck } from './generated/machine-health-check.ts';
export type { MachineSet } from './generated/machine-set.ts';
export type { OLMConfig, OLMConfigSpec, OLMConfigStatus } from './generated/olm-config.ts';
export type { Operator, OperatorStatus } from './generated/operator.ts';
export type {
  OperatorCondition,
  OperatorConditionSpec,
  OperatorConditionStatus,
} from './generated/operator-condition.ts';
export type { OperatorGroup, OperatorGroupSpec, OperatorGroupStatus } from './generated/operator-group.ts';
export type {
  PlatformOperator,
  PlatformOperatorSpec,
  PlatformOperatorStatus,
} from './generated/platform-operator.ts';
export type { Subscription, SubscriptionSpec, SubscriptionStatus } from './generated/subscription.ts';
export { formatHooks } from './hook-text.ts';
export { type ImageReference, parseImageReference } from './image-reference.ts';
export {
  type BundleLookupConditionType,
  type InstallPlanApproval,
  type InstallPlanConditionType,
  type InstallPlanPhase,
  type InstallPlanReason,
  type InstallPlanStepStatus,
  installPlanResource,
} from './install-plan.ts';
export {
  type MachineConditionReason,
  type MachineConditionType,
  type MachinePhase,
  machineAnnotations,
  machineFinalizer,
  machineHealthCheckResource,
  machineLabels,
  machineResource,
  machineSetResource,
} from './machine.ts';
export {
  machineConfigPoolResource,
  machineConfigResource,
  machineConfigRoleLabel,
  type NodeAgentState,
  nodeUpdateAnnotations,
  type PoolConditionType,
  poolNames,
  rolloutGates,
  updateInProgressTaint,
} from './machine-config.ts';
export type { ObjectMeta, OwnerReference } from './object-meta.ts';
export { type OlmConfigConditionType, type OlmConfigReason, olmConfigName, olmConfigResource } from './olm-config.ts';
export {
  csvCleanupFinalizer,
  installedAlongsidePrefix,
  olmAnnotations,
  olmFieldManager,
  olmLabelPrefixes,
  olmLabels,
  operatorConditionVariable,
} from './olm-names.ts';
export { operatorResource } from './operator.ts';
export { type OperatorConditionType, operatorConditionResource } from './operator-condition.ts';
export {
  type OperatorGroupConditionType,
  type OperatorGroupReason,
  operatorGroupResource,
  type UpgradeStrategy,
} from './operator-group.ts';
export {
  parseBundle,
  parseBundleDeployment,
  parseCatalogSource,
  parseClusterCatalog,
  parseClusterExtension,
  parseClusterServiceVersion,
  parseClusterVersion,
  parseDrainRule,
  parseInstallPlan,
  parseMachine,
  parseMachineConfig,
  parseMachineConfigPool,
  parseMachineHealthCheck,
  parseMachineSet,
  parseOlmConfig,
  parseOperatorCondition,
  parseOperatorGroup,
  parsePlatformOperator,
  parseSubscription,
} from './parse.ts';
export {
  type PlatformChoice,
  type PlatformInstalledReason,
  type PlatformOperatorConditionType,
  platformChoiceAnnotation,
  platformOperatorResource,
  platformPackageLabel,
  type UpToDateReason,
} from './platform-operator.ts';
export type { Resource } from './resource.ts';
export { isSameSpec } from './same-spec.ts';
export {
  type SubscriptionConditionType,
  type SubscriptionReason,
  type SubscriptionState,
  subscriptionResource,
} from './subscription.ts';
