import {
  type ClusterServiceVersion,
  type ClusterServiceVersionReason,
  type OperatorGroup,
  olmAnnotations,
} from '../api/index.ts';
import { unsupportedTargets } from './install-modes.ts';
import { isGlobalGroup } from './operator-groups.ts';
import { isCopied } from './owner-labels.ts';

/** Where an operator is active, besides its own namespace. `unknown`: until that is decided, nothing is added and nothing removed. */
export type Placement =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'nowhere' }
  | { readonly kind: 'everywhere'; readonly group: OperatorGroup }
  | { readonly kind: 'namespaces'; readonly group: OperatorGroup };

const unknown: Placement = { kind: 'unknown' };
const nowhere: Placement = { kind: 'nowhere' };

/** The operator is not an active member of its group, whatever the group targets. */
const inactiveReasons: ReadonlySet<string> = new Set<ClusterServiceVersionReason>([
  'InvalidInstallModes',
  'InterOperatorGroupOwnerConflict',
  'CannotModifyStaticOperatorGroupProvidedAPIs',
]);

/** It was not, as far as its last reconcile could see: the group as it is now decides. */
const waitingReasons: ReadonlySet<string> = new Set<ClusterServiceVersionReason>([
  'NoOperatorGroup',
  'TooManyOperatorGroups',
  'NoTargetNamespaces',
  'UnsupportedOperatorGroup',
]);

/** Whether an operator fails for a reason that has to do with its group: its APIs do not count as provided, and it is not copied.
 *  @see docs/spec/olm-v0.md#clusterserviceversion */
export function isInactiveMember({ status }: ClusterServiceVersion): boolean {
  const { reason = '' } = status ?? {};
  return inactiveReasons.has(reason) || waitingReasons.has(reason);
}

function isAnnotated({ metadata }: ClusterServiceVersion, group: OperatorGroup): boolean {
  const annotations = metadata.annotations ?? {};
  const namespace = annotations[olmAnnotations.operatorNamespace] ?? annotations[olmAnnotations.operatorGroupNamespace];
  return namespace === group.metadata.namespace && annotations[olmAnnotations.operatorGroup] === group.metadata.name;
}

/** Whether the targets of a group, and the operator itself, allow it to be active there at all. */
function isPossible(csv: ClusterServiceVersion, targets: readonly string[]): boolean {
  if (targets.length === 0 || inactiveReasons.has(csv.status?.reason ?? '')) return false;
  return unsupportedTargets(csv, csv.metadata.namespace ?? '', targets) === undefined;
}

/** Whether the operator is yet to be reconciled with its group as it is. */
function isOutdated(csv: ClusterServiceVersion, group: OperatorGroup): boolean {
  const { phase = '', reason = '' } = csv.status ?? {};
  return phase === '' || waitingReasons.has(reason) || !isAnnotated(csv, group);
}

/** Where an operator that is no copy is active, by the OperatorGroups of its namespace. Several groups leave that unknown; none, or one that
 *  selects nothing, means nowhere: its permissions are not to outlive the selection.
 *  @see docs/spec/olm-v0.md#copied-csvs */
export function placementOf(csv: ClusterServiceVersion, groups: readonly OperatorGroup[]): Placement {
  const [group, ...others] = groups;
  if (group === undefined || csv.metadata.deletionTimestamp !== undefined || isCopied(csv)) return nowhere;
  if (others.length > 0 || group.status === undefined) return unknown;
  if (!isPossible(csv, group.status.namespaces ?? [])) return nowhere;
  if (isOutdated(csv, group)) return unknown;
  return { kind: isGlobalGroup(group) ? 'everywhere' : 'namespaces', group };
}
