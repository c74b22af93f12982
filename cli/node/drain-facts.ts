import { drainRuleResource, machineResource, parseMachine } from '../../src/api/index.ts';
import {
  type BudgetFacts,
  budgetsOf,
  type DrainablePod,
  type DrainPlan,
  drainablePod,
  isUnreachable,
  type PlanFacts,
  planDrain,
  readDrainRules,
} from '../../src/drain/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { listServed } from '../client/index.ts';

/** What a drain of a node would do now. */
export interface DrainView {
  readonly node: KubeObject;
  readonly isUnreachable: boolean;
  readonly plan: DrainPlan;
  budgetsOf(pod: DrainablePod): readonly BudgetFacts[];
}

async function machineLabelsOf(kube: KubeClient, node: string): Promise<Readonly<Record<string, string>> | undefined> {
  const machines = await listServed(kube, machineResource);
  const machine = machines.find((one) => parseMachine(one).status?.nodeRef?.name === node);
  return machine === undefined ? undefined : (machine.metadata.labels ?? {});
}

/** Facts for rules, which most clusters do not have. */
async function readRuleFacts(
  kube: KubeClient,
  node: string,
): Promise<Pick<PlanFacts, 'rules' | 'namespaceLabels' | 'machineLabels'>> {
  const rules = readDrainRules(await listServed(kube, drainRuleResource));
  if (rules.length === 0) return {};
  const namespaces = (await kube.list({ apiVersion: 'v1', kind: 'Namespace' })).items;
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name ?? '', metadata.labels ?? {}]));
  return {
    rules,
    namespaceLabels: (namespace) => labels.get(namespace) ?? {},
    machineLabels: await machineLabelsOf(kube, node),
  };
}

/** Reads a node, its pods, the rules of drains, and the budgets of their namespaces. */
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
      ...(await readRuleFacts(kube, name)),
      isUnreachable: unreachable,
      nowMs: Date.now(),
    }),
    budgetsOf: (pod) => budgetsOf(pod, budgets),
  };
}
