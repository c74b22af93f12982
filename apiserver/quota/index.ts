/** What objects use of resource quotas: pure functions that admission and the quota controller share.
 *  @imports apiserver/schema, apiserver/core, src/base */
export { podTotals } from './pod-totals.ts';
export { isTerminatingPod, scopeMatcher } from './scopes.ts';
export { countedKind, missingCompute, usageOf } from './usage.ts';
