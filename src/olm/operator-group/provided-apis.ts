import type { ClusterServiceVersion, ClusterServiceVersionReason } from '../../api/index.ts';
import { ApiSet, ownedApis } from '../../operators/index.ts';

/** An operator that failed for these has no part in what its group provides. That its group was missing, or one of several, passes by itself. */
const leaving: ReadonlySet<string> = new Set<ClusterServiceVersionReason>([
  'InvalidInstallModes',
  'NoTargetNamespaces',
  'UnsupportedOperatorGroup',
  'InterOperatorGroupOwnerConflict',
  'CannotModifyStaticOperatorGroupProvidedAPIs',
]);

/** The APIs that members of a group provide, whether they are active or not: roles for users of the group aggregate what exists of them. */
export function allApis(members: readonly ClusterServiceVersion[]): ApiSet {
  return new ApiSet(members.flatMap((csv) => ownedApis(csv)?.values() ?? []));
}

function isBeginning({ metadata, status }: ClusterServiceVersion): boolean {
  const { phase = '' } = status ?? {};
  return metadata.deletionTimestamp === undefined && (phase === '' || phase === 'Pending');
}

/** What is left of the provided APIs of a group once those that no active member provides are removed. While a new member with further APIs is
 *  about to add them, nothing is removed.
 *  @see docs/spec/olm-v0.md#olm-providedapis */
export function prunedApis(provided: ApiSet, members: readonly ClusterServiceVersion[]): ApiSet {
  const isAddition = members.some((csv) => isBeginning(csv) && !(ownedApis(csv) ?? new ApiSet()).isSubsetOf(provided));
  const active = members.filter(({ status }) => !leaving.has(status?.reason ?? ''));
  return isAddition ? provided : provided.intersection(allApis(active));
}
