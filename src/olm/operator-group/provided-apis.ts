import type { ClusterServiceVersion } from '../../api/index.ts';
import { ApiSet, ownedApis } from '../../operators/index.ts';

/** The APIs that members of a group provide, whether they are active or not: one that fails may recover, and has them still then. */
export function allApis(members: readonly ClusterServiceVersion[]): ApiSet {
  return new ApiSet(members.flatMap((csv) => ownedApis(csv)?.values() ?? []));
}

function isBeginning({ metadata, status }: ClusterServiceVersion): boolean {
  const { phase = '' } = status ?? {};
  return metadata.deletionTimestamp === undefined && (phase === '' || phase === 'Pending');
}

/** What is left of the provided APIs of a group once those that no member provides are removed. While a new member with further APIs is
 *  about to add them, nothing is removed.
 *  @see docs/spec/olm-v0.md#olm-providedapis */
export function prunedApis(provided: ApiSet, members: readonly ClusterServiceVersion[]): ApiSet {
  const isAddition = members.some((csv) => isBeginning(csv) && !(ownedApis(csv) ?? new ApiSet()).isSubsetOf(provided));
  return isAddition ? provided : provided.intersection(allApis(members));
}
