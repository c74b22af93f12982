import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/olm-v0.md#subscription */
export const subscriptionResource: Resource = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  plural: 'subscriptions',
};

/** `status.state`; empty until the first InstallPlan. `UpgradeAvailable` is never set.
 *  @see docs/spec/olm-v0.md#subscription */
export type SubscriptionState = 'UpgradePending' | 'AtLatestKnown' | 'UpgradeFailed' | 'UpgradeAvailable';

/** Types of `status.conditions`; `InstalledCSVMissing` and `PreferredVersionPassedOver` are additions.
 *  @see docs/spec/olm-v0.md#subscription-status */
export type SubscriptionConditionType =
  | 'CatalogSourcesUnhealthy'
  | 'InstallPlanMissing'
  | 'InstallPlanPending'
  | 'InstallPlanFailed'
  | 'InstalledCSVMissing'
  | 'PreferredVersionPassedOver'
  | 'ResolutionFailed'
  | 'BundleUnpacking'
  | 'BundleUnpackFailed'
  | 'PackageDeprecated'
  | 'ChannelDeprecated'
  | 'BundleDeprecated'
  | 'Deprecated';

/** Reasons of these conditions; those of an InstallPlan are passed on as well.
 *  @see docs/spec/olm-v0.md#subscription-status */
export type SubscriptionReason =
  | 'NoCatalogSourcesFound'
  | 'UnhealthyCatalogSourceFound'
  | 'AllCatalogSourcesHealthy'
  | 'CatalogSourcesAdded'
  | 'CatalogSourcesUpdated'
  | 'CatalogSourcesDeleted'
  | 'ReferencedInstallPlanNotFound'
  | 'InstallPlanNotYetReconciled'
  | 'InstallPlanFailed'
  | 'InstalledCSVDeleted'
  | 'ConstraintsNotSatisfiable'
  | 'ErrorPreventedResolution'
  | 'UnpackingInProgress'
  | 'BundleUnpackFailed'
  | 'ErrorPreventedUnpacking'
  | 'EnsureInstallPlanFailed';
