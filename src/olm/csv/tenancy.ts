import { type ClusterServiceVersion, type OperatorGroup, olmAnnotations } from '../../api/index.ts';
import { cutText } from '../../base/index.ts';
import { type ApiSet, surfaceOf, type TenancyResult, tenancyOf, unsupportedTargets } from '../../operators/index.ts';
import { type Move, move } from './decision.ts';

/** The group of a namespace. */
export type Membership =
  | { readonly state: 'Member'; readonly group: OperatorGroup; readonly targets: readonly string[] }
  /** Its targets are not resolved yet. */
  | { readonly state: 'Unresolved'; readonly group: OperatorGroup }
  | { readonly state: 'Refused'; readonly move: Move };

/** Row T44: what targets no namespace may not run, and by no means in all of them. */
export const noTargets: Move = move(
  'Failed',
  'NoTargetNamespaces',
  'no targetNamespaces are matched operatorgroups namespace selection',
);

/** Rows T42 and T43: the group of the namespace, if it has exactly one.
 *  @see docs/spec/olm-v0.md#operatorgroup-membership-and-install-modes */
export function membershipOf(groups: readonly OperatorGroup[]): Membership {
  const [group] = groups;
  if (group === undefined) {
    return { state: 'Refused', move: move('Failed', 'NoOperatorGroup', 'csv in namespace with no operatorgroups') };
  }
  if (groups.length > 1) {
    const message = "csv created in namespace with multiple operatorgroups, can't pick one automatically";
    return { state: 'Refused', move: move('Failed', 'TooManyOperatorGroups', message) };
  }
  if (group.status === undefined) return { state: 'Unresolved', group };
  return { state: 'Member', group, targets: (group.status.namespaces ?? []).toSorted() };
}

/** Annotations of a member of the group; null where one is not to be. Without targets there is no `olm.targetNamespaces`: empty, it means all.
 *  @see docs/spec/olm-v0.md#operatorgroup-reconcile-targets-annotations */
export function memberAnnotations(
  { metadata }: OperatorGroup,
  targets: readonly string[],
): Readonly<Record<string, string | null>> {
  const { namespace = '', name } = metadata;
  return {
    [olmAnnotations.operatorGroup]: name,
    [olmAnnotations.operatorGroupNamespace]: namespace,
    [olmAnnotations.operatorNamespace]: namespace,
    [olmAnnotations.targetNamespaces]: targets.length === 0 ? null : targets.join(','),
  };
}

const maxMessageCharacters = 1_024;

/** Steps 7 and 8: why the install modes of the operator do not allow the targets; undefined if they do. */
export function modeProblem(csv: ClusterServiceVersion, targets: readonly string[]): Move | undefined {
  const { installModes = [] } = csv.spec;
  if (new Set(installModes.map(({ type }) => type)).size < installModes.length) {
    const texts = installModes.map(({ type, supported }) => `{${type} ${supported}}`);
    const message = `InstallMode list contains duplicates, cannot make set: [${texts.join(' ')}]`;
    return move('Failed', 'InvalidInstallModes', cutText(message, maxMessageCharacters));
  }
  if (targets.length === 0) return noTargets;
  const message = unsupportedTargets(csv, csv.metadata.namespace ?? '', targets);
  return message === undefined ? undefined : move('Failed', 'UnsupportedOperatorGroup', message);
}

/** What the APIs of an operator mean for its group. */
export type ApiDecision =
  | { readonly state: 'Continue' }
  /** The annotation `olm.providedAPIs` becomes that. */
  | { readonly state: 'Annotate'; readonly apis: ApiSet; readonly isAddition: boolean }
  /** The Deployments are deleted. */
  | { readonly state: 'Refused'; readonly move: Move };

function ageOf({ metadata, status }: OperatorGroup): string {
  return [status?.lastUpdated, metadata.creationTimestamp, metadata.namespace, metadata.name].join(' ');
}

/** If the group provides all of its APIs already, one that came to its targets later does not count: it is the other group that gives way. */
function withoutLater(
  group: OperatorGroup,
  provided: ApiSet,
  others: readonly OperatorGroup[],
): readonly OperatorGroup[] {
  if (!provided.isSubsetOf(surfaceOf(group).apis)) return others;
  return others.filter((other) => ageOf(other) <= ageOf(group));
}

const conflict = move('Failed', 'InterOperatorGroupOwnerConflict', 'intersecting operatorgroups provide the same apis');
const staticGroup = move(
  'Failed',
  'CannotModifyStaticOperatorGroupProvidedAPIs',
  'static provided api operatorgroup cannot be modified by these apis',
);

/** Step 9: compares the APIs of the operator with those of `others`, among which are all groups that share a target with its own.
 *  @see docs/spec/olm-v0.md#intersection-algorithm */
export function decideApis(group: OperatorGroup, provided: ApiSet, others: readonly OperatorGroup[]): ApiDecision {
  const own = surfaceOf(group);
  const result: TenancyResult = tenancyOf(provided, own, withoutLater(group, provided, others).map(surfaceOf));
  if (result === 'NoAPIConflict') return { state: 'Continue' };
  if (result === 'APIConflict') return { state: 'Refused', move: conflict };
  if (group.spec?.staticProvidedAPIs === true) return { state: 'Refused', move: staticGroup };
  const isAddition = result === 'AddAPIs';
  const apis = isAddition ? own.apis.union(provided) : own.apis.difference(provided);
  // Of what cannot be read as an API, the text stays the same, and would be written for ever.
  const isSame = String(apis) === group.metadata.annotations?.[olmAnnotations.providedApis];
  return isSame ? { state: 'Continue' } : { state: 'Annotate', apis, isAddition };
}
