import type { Explanation } from '../support/explanation.ts';

/** Every difference from the real cluster-version-operator, with its reason. Those that occur no more have to be removed.
 *  @see docs/cluster-version-conformance.md */
export const explanations: readonly Explanation[] = [];
