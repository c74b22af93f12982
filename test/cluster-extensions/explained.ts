import type { Explanation } from '../support/explanation.ts';

/** All reasons why Longshore differs from operator-controller. */
export const explanations: readonly Explanation[] = [];
