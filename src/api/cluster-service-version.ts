import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export const clusterServiceVersionResource: Resource = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  plural: 'clusterserviceversions',
};

/** `status.phase`; empty until the first reconcile. `Unknown` is never set.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export type ClusterServiceVersionPhase =
  | 'Pending'
  | 'InstallReady'
  | 'Installing'
  | 'Succeeded'
  | 'Failed'
  | 'Unknown'
  | 'Replacing'
  | 'Deleting';

/** `status.reason`. `WaitingOnCleanup` is never set.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export type ClusterServiceVersionReason =
  | 'RequirementsUnknown'
  | 'RequirementsNotMet'
  | 'AllRequirementsMet'
  | 'OwnerConflict'
  | 'InstallComponentFailed'
  | 'InstallComponentFailedNoRetry'
  | 'InvalidInstallStrategy'
  | 'InstallWaiting'
  | 'InstallSucceeded'
  | 'InstallCheckFailed'
  | 'ComponentUnhealthy'
  | 'BeingReplaced'
  | 'Replaced'
  | 'NeedsReinstall'
  | 'NeedsCertRotation'
  | 'APIServiceResourceIssue'
  | 'APIServiceResourcesNeedReinstall'
  | 'APIServiceInstallFailed'
  | 'Copied'
  | 'InvalidInstallModes'
  | 'NoTargetNamespaces'
  | 'UnsupportedOperatorGroup'
  | 'NoOperatorGroup'
  | 'TooManyOperatorGroups'
  | 'InterOperatorGroupOwnerConflict'
  | 'CannotModifyStaticOperatorGroupProvidedAPIs'
  | 'DetectedClusterChange'
  | 'InvalidWebhookDescription'
  | 'OperatorConditionNotUpgradeable'
  | 'WaitingOnCleanup';

/** Status of an entry of `status.requirementStatus`.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export type RequirementStatus =
  | 'Present'
  | 'NotPresent'
  | 'PresentNotSatisfied'
  | 'PresentNotAvailable'
  | 'DeploymentFound'
  | 'DeploymentNotFound';

/** Status of a dependent of such an entry.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export type DependentStatus = 'Satisfied' | 'NotSatisfied';

/** `spec.installModes[].type`.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export type InstallModeType = 'OwnNamespace' | 'SingleNamespace' | 'MultiNamespace' | 'AllNamespaces';
