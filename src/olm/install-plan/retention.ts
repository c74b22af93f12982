import type { InstallPlan } from '../../api/index.ts';

const maxPlans = 5;
const maxDeletions = 5;

/** Whether something is still to come of the plan by itself, or by its author. */
function isNeeded({ status, metadata }: InstallPlan): boolean {
  const isOfSubscription = (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'Subscription');
  const phase = status?.phase ?? '';
  if (phase === 'Complete' || phase === 'Failed') return false;
  return phase !== 'RequiresApproval' || !isOfSubscription;
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

/** The plans of a namespace that are deleted: all but the latest five, the oldest first; never one that is being installed.
 *  @see docs/spec/olm-v0.md#resolution-per-namespace */
export function outdatedPlans(plans: readonly InstallPlan[]): readonly InstallPlan[] {
  const excess = Math.min(plans.length - maxPlans, maxDeletions);
  if (excess <= 0) return [];
  const oldestFirst = plans.toSorted(
    (a, b) =>
      (a.spec.generation ?? 0) - (b.spec.generation ?? 0) ||
      compare(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
      compare(a.metadata.name, b.metadata.name),
  );
  return oldestFirst.filter((plan) => !isNeeded(plan)).slice(0, excess);
}
