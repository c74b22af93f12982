import { drainRuleResource } from '../api/index.ts';
import type { KindCache, KubeClient, KubeObject } from '../kube/index.ts';
import { type DrainPlan, type PlanFacts, planDrain } from './plan.ts';
import { drainablePod } from './pods.ts';
import { readDrainRules } from './rules.ts';

/** What a controller knows of a drain. */
export interface LivePlanFacts extends Omit<PlanFacts, 'pods' | 'rules' | 'hasDaemonSet' | 'namespaceLabels'> {
  readonly pods: readonly KubeObject[];
  readonly kube: KubeClient;
  readonly drainRules: KindCache;
  readonly daemonSets: KindCache;
  readonly namespaces: KindCache;
  readonly signal: AbortSignal;
}

function evictsNow({ steps: [step = []] }: DrainPlan): boolean {
  return step.some(({ pod, awaitedBy }) => pod.deletionMs === undefined && awaitedBy === undefined);
}

/** Plans a drain by the caches. Where a pod is to be evicted, the rules of the API server count: a watch may not have shown yet the one that keeps it.
 *  @throws TerminalError InvalidSelector, InvalidObject, of a rule */
export async function planLive(facts: LivePlanFacts): Promise<DrainPlan> {
  const { kube, drainRules, daemonSets, namespaces, signal, ...others } = facts;
  const planBy = (rules: readonly KubeObject[]): DrainPlan =>
    planDrain({
      ...others,
      pods: facts.pods.map(drainablePod),
      hasDaemonSet: (namespace, name) => daemonSets.get(name, namespace) !== undefined,
      namespaceLabels: (namespace) => namespaces.get(namespace)?.metadata.labels ?? {},
      rules: readDrainRules(rules),
    });
  const plan = planBy(drainRules.values());
  if (!evictsNow(plan)) return plan;
  return planBy((await kube.list(drainRuleResource, { signal })).items);
}
