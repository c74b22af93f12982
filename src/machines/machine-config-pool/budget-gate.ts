import { rolloutGates } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { type DrainablePod, deadlockOf, drainablePod, planDrain, readDrainRules } from '../../drain/index.ts';
import { skippedGates } from '../rollout-check/skip.ts';
import { type PoolContext, type PoolRun, recordPool } from './context.ts';
import { checkPollMs, type GatedNodes, type Hold } from './hold.ts';
import type { PoolNode } from './pool-node.ts';

/** Pods, and nodes, that a text names. */
const maxShown = 5;
/** Budgets of a namespace that are evaluated: users create them, and every pod of every candidate is matched. */
const maxBudgets = 200;

function othersText(count: number): string {
  return count <= 0 ? '' : ` and ${count} others`;
}

/** The pods that a drain of the node would evict, by the caches. A rule that is wrong is reported by the drain. */
function leavingPods(context: PoolContext, node: string): readonly DrainablePod[] {
  const { podsOn, machinesOf, drainRules, daemonSets, namespaces, clock } = context;
  try {
    const plan = planDrain({
      pods: podsOn.get(node).map(drainablePod),
      hasDaemonSet: (namespace, name) => daemonSets.get(name, namespace) !== undefined,
      namespaceLabels: (namespace) => namespaces.get(namespace)?.metadata.labels ?? {},
      machineLabels: machinesOf.get(node)[0]?.metadata.labels,
      rules: readDrainRules(drainRules.values()),
      nowMs: clock.now(),
    });
    return plan.steps.flat().flatMap(({ pod, awaitedBy }) => (awaitedBy === undefined ? [pod] : []));
  } catch (thrown) {
    if (thrown instanceof TerminalError) return [];
    throw thrown;
  }
}

function textOf(node: string, pods: readonly string[]): string {
  return `node ${node} cannot be drained: no disruption is ever allowed of ${pods.join(', ')}`;
}

/** What a drain of the node would wait for without end: pods, and the budgets that never let them go. */
function deadlockText(context: PoolContext, { name }: PoolNode): string | undefined {
  const texts: string[] = [];
  for (const pod of leavingPods(context, name)) {
    const budgets = deadlockOf(pod, context.budgets.inNamespace(pod.namespace).slice(0, maxBudgets));
    if (budgets.length === 0) continue;
    if (texts.length === maxShown) return `${textOf(name, texts)} and of others`;
    const names = budgets.map((budget) => budget.name).join(' and ');
    texts.push(`pod ${pod.namespace}/${pod.name} (PodDisruptionBudget ${names})`);
  }
  return texts.length === 0 ? undefined : textOf(name, texts);
}

function report(run: PoolRun, texts: readonly string[]): void {
  for (const message of texts.slice(0, maxShown)) {
    recordPool(run, { type: 'Warning', reason: 'PodDisruptionBudgetDeadlock', message });
  }
}

/** Those of the nodes that may start whose drain can end. Without the gate all of them, and an Event reports the others.
 *  `choose` chooses again, without the nodes of these names. */
export function drainableNodes(
  run: PoolRun,
  first: readonly PoolNode[],
  choose: (excluded: ReadonlySet<string>) => readonly PoolNode[],
): GatedNodes {
  const { pool, context } = run;
  const isGate = pool.spec.rollout?.gates?.disruptionBudgets === true;
  const isSkipped = skippedGates(pool).has(rolloutGates.budgets);
  const deadlocks = new Map<string, string>();
  for (let chosen = first; ; chosen = choose(new Set(deadlocks.keys()))) {
    const found = chosen.flatMap((node) => {
      const text = deadlockText(context, node);
      return text === undefined ? [] : [[node.name, text] as const];
    });
    report(
      run,
      found.map(([, text]) => text),
    );
    if (found.length === 0 || !isGate || isSkipped) return chosen.length > 0 ? { chosen } : heldBy(run, deadlocks);
    for (const [name, text] of found) deadlocks.set(name, text);
  }
}

function heldBy(run: PoolRun, deadlocks: ReadonlyMap<string, string>): GatedNodes {
  const [first] = deadlocks.values();
  if (first === undefined) return { chosen: [] };
  requeueAfter(run, checkPollMs);
  const message = `${first}${othersText(deadlocks.size - 1)}. Change the budget, or the number of pods that it selects`;
  const hold: Hold = { kind: 'budgets', gate: rolloutGates.budgets, message };
  return { chosen: [], hold };
}
