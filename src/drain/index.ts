/** Drains nodes: which pods go, in which order, what a PodDisruptionBudget holds back, and their evictions.
 *  Main type: `Drainer`. Works in steps that never wait: its callers come back when pods change. Knows no machines and no pools.
 *  @imports src/kube, src/api, src/base */
export { type BudgetFacts, budgetsOf, deadlockOf, neverAllows } from './budgets.ts';
export { cordon, isUnreachable, isUnschedulable, uncordon } from './cordon.ts';
export { type BlockedPod, Drainer, type DrainProgress, describeBlocked } from './drainer.ts';
export { planLive } from './live-plan.ts';
export { type DrainPlan, type LeavingPod, type PlanFacts, planDrain } from './plan.ts';
export { type DrainablePod, drainablePod, livePodsOn, podTarget } from './pods.ts';
export { describeDecidedBy, readDrainRules } from './rules.ts';
