import {
  type BudgetFacts,
  budgetsOf,
  type DrainablePod,
  type DrainPlan,
  drainablePod,
  isUnreachable,
  planDrain,
} from '../../src/drain/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';

/** What a drain of a node would do now. */
export interface DrainView {
  readonly node: KubeObject;
  readonly isUnreachable: boolean;
  readonly plan: DrainPlan;
  budgetsOf(pod: DrainablePod): readonly BudgetFacts[];
}

/** Reads a node, its pods and the budgets of their namespaces. */
export async function viewDrain(kube: KubeClient, name: string): Promise<DrainView> {
  const node = await kube.get({ apiVersion: 'v1', kind: 'Node', name });
  const target = { apiVersion: 'v1', kind: 'Pod', fieldSelector: `spec.nodeName=${name}` };
  const pods = (await kube.list(target)).items.map(drainablePod);
  const daemonSets = await kube.list({ apiVersion: 'apps/v1', kind: 'DaemonSet' });
  const keys = new Set(daemonSets.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const budgets = (await kube.list({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' })).items;
  const unreachable = isUnreachable(node);
  return {
    node,
    isUnreachable: unreachable,
    plan: planDrain({
      pods,
      hasDaemonSet: (namespace, daemonSet) => keys.has(`${namespace}/${daemonSet}`),
      isUnreachable: unreachable,
      nowMs: Date.now(),
    }),
    budgetsOf: (pod) => budgetsOf(pod, budgets),
  };
}
