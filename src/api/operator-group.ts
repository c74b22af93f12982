import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/olm-v0.md#operatorgroup */
export const operatorGroupResource: Resource = {
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  plural: 'operatorgroups',
};

/** `spec.upgradeStrategy`.
 *  @see docs/spec/olm-v0.md#operatorgroup */
export type UpgradeStrategy = 'Default' | 'TechPreviewUnsafeFailForward';

/** Types of `status.conditions`. `OperatorGroupTargets` reports a spec that selects no namespaces because it is not valid, which OLM leaves
 *  without an answer.
 *  @see docs/spec/olm-v0.md#operatorgroup */
export type OperatorGroupConditionType =
  | 'MultipleOperatorGroup'
  | 'OperatorGroupServiceAccount'
  | 'OperatorGroupTargets';

/** Reasons of these conditions.
 *  @see docs/spec/olm-v0.md#operatorgroup */
export type OperatorGroupReason =
  | 'MultipleOperatorGroupsFound'
  | 'ServiceAccountNotFound'
  | 'InvalidTargetNamespaces'
  | 'InvalidSelector';
