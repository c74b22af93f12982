import { isJsonObject, isSelected, type JsonObject, type LabelSelector } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';
import type { DrainablePod } from './pods.ts';

/** What a PodDisruptionBudget allows now. */
export interface BudgetFacts {
  readonly namespace: string;
  readonly name: string;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function countOf(parent: JsonObject, key: string): number {
  const value = parent[key];
  return typeof value === 'number' ? value : 0;
}

function factsOf({ metadata, status }: KubeObject): BudgetFacts {
  const counts = objectOf(status);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    disruptionsAllowed: countOf(counts, 'disruptionsAllowed'),
    currentHealthy: countOf(counts, 'currentHealthy'),
    desiredHealthy: countOf(counts, 'desiredHealthy'),
    expectedPods: countOf(counts, 'expectedPods'),
  };
}

function selects({ metadata, spec }: KubeObject, pod: DrainablePod): boolean {
  const { selector } = objectOf(spec);
  if (metadata.namespace !== pod.namespace || !isJsonObject(selector)) return false;
  try {
    return isSelected(selector as LabelSelector, pod.labels);
  } catch {
    // The API server refuses such a selector; an old object may have one, and selects nothing.
    return false;
  }
}

/** The budgets of a pod. The API server refuses every eviction of a pod that has several. */
export function budgetsOf(pod: DrainablePod, budgets: Iterable<KubeObject>): readonly BudgetFacts[] {
  return [...budgets].filter((budget) => selects(budget, pod)).map(factsOf);
}

/** Phases in which the API server evicts a pod whatever its budgets are. */
const unguardedPhases: readonly string[] = ['Pending', 'Succeeded', 'Failed'];

/** Budgets by which the API server refuses to evict the pod until someone changes them: one that never allows a disruption, or several. Evaluates no more
 *  budgets than it needs to know. */
export function deadlockOf(pod: DrainablePod, budgets: Iterable<KubeObject>): readonly BudgetFacts[] {
  if (unguardedPhases.includes(pod.phase) || pod.deletionMs !== undefined) return [];
  const own: BudgetFacts[] = [];
  for (const budget of budgets) {
    if (!selects(budget, pod)) continue;
    own.push(factsOf(budget));
    if (own.some(neverAllows) || own.length > 1) return own;
  }
  return [];
}

/** Whether the budget allows no disruption even when all its pods are healthy: `maxUnavailable: 0`, or as many required as there are.
 *  @see docs/spec/machine-lifecycle.md#6-drain-engine */
export function neverAllows({ disruptionsAllowed, desiredHealthy, expectedPods }: BudgetFacts): boolean {
  return disruptionsAllowed === 0 && expectedPods > 0 && desiredHealthy >= expectedPods;
}
