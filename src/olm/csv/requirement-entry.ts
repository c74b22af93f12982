import type { ClusterServiceVersionStatus } from '../../api/index.ts';

/** An entry of `status.requirementStatus`. */
export type RequirementEntry = NonNullable<ClusterServiceVersionStatus['requirementStatus']>[number];

/** An entry, and whether it is met. */
export interface Checked {
  readonly entry: RequirementEntry;
  readonly isMet: boolean;
}
