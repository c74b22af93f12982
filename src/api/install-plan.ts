import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/olm-v0.md#installplan */
export const installPlanResource: Resource = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  plural: 'installplans',
};

/** `status.phase`; empty until the first reconcile. `Planning` is never set.
 *  @see docs/spec/olm-v0.md#installplan */
export type InstallPlanPhase = 'Planning' | 'RequiresApproval' | 'Installing' | 'Complete' | 'Failed';

/** Types of `status.conditions`. `Resolved` is never set.
 *  @see docs/spec/olm-v0.md#installplan */
export type InstallPlanConditionType = 'Resolved' | 'Installed';

/** Reasons of `Installed`.
 *  @see docs/spec/olm-v0.md#installplan */
export type InstallPlanReason =
  | 'PlanUnknown'
  | 'InstallCheckFailed'
  | 'DependenciesConflict'
  | 'InstallComponentFailed';

/** Status of an entry of `status.plan`.
 *  @see docs/spec/olm-v0.md#installplan */
export type InstallPlanStepStatus =
  | 'Unknown'
  | 'NotPresent'
  | 'Present'
  | 'Created'
  | 'NotCreated'
  | 'WaitingForApi'
  | 'UnsupportedResource';

/** Types of the conditions of an entry of `status.bundleLookups`.
 *  @see docs/spec/olm-v0.md#installplan */
export type BundleLookupConditionType = 'BundleLookupPending' | 'BundleLookupFailed' | 'BundleLookupNotPersisted';

/** `spec.approval`; also `spec.installPlanApproval` of a Subscription.
 *  @see docs/spec/olm-v0.md#installplan */
export type InstallPlanApproval = 'Automatic' | 'Manual';
