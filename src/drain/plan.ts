import type { DrainablePod } from './pods.ts';
import { type DrainRule, ruleFor } from './rules.ts';

export interface PlanFacts {
  /** The pods of the node. */
  readonly pods: readonly DrainablePod[];
  /** Whether the DaemonSet exists. */
  hasDaemonSet(namespace: string, name: string): boolean;
  /** Default: none. */
  readonly rules?: readonly DrainRule[];
  /** Labels of a Namespace, for rules that select namespaces. */
  namespaceLabels?(namespace: string): Readonly<Record<string, string>>;
  /** The kubelet does not answer: pods whose deletion it does not confirm are not waited for. */
  readonly isUnreachable?: boolean;
  readonly nowMs: number;
  /** Whether pods without a controller are evicted, which nothing creates again. Default true. */
  readonly evictsUnmanaged?: boolean;
  /** Whether pods with `emptyDir` volumes are evicted, whose content is lost. Default true. */
  readonly evictsLocalStorage?: boolean;
}

/** A pod that goes, and why it deserves a warning. */
export interface LeavingPod {
  readonly pod: DrainablePod;
  readonly waitsForCompletion: boolean;
  readonly warning?: string;
}

/** Which pods of a node go, in which order, and which stay. */
export interface DrainPlan {
  /** Pods that go together; a step begins when all pods of those before are gone. */
  readonly steps: readonly (readonly LeavingPod[])[];
  readonly staying: readonly { readonly pod: DrainablePod; readonly reason: string }[];
  /** Pods that may not be evicted; the drain does not begin while there are any. */
  readonly refused: readonly { readonly pod: DrainablePod; readonly reason: string }[];
}

/** How long a pod of a node that does not answer may be deleting before it is not waited for. In whole seconds, as kubectl counts.
 *  @see docs/spec/machine-lifecycle.md#61-which-pods */
const skipAfterSeconds = 1;

type Decision =
  | { readonly kind: 'goes'; readonly warning?: string }
  | { readonly kind: 'stays' | 'refused'; readonly reason: string };

function isFinished({ phase }: DrainablePod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function daemonSetDecision(pod: DrainablePod, facts: PlanFacts): Decision | undefined {
  const { controller } = pod;
  if (controller?.kind !== 'DaemonSet' || controller.apiVersion !== 'apps/v1') return undefined;
  if (isFinished(pod)) return { kind: 'goes' };
  if (!facts.hasDaemonSet(pod.namespace, controller.name)) {
    return { kind: 'goes', warning: `its DaemonSet "${controller.name}" does not exist` };
  }
  return { kind: 'stays', reason: 'managed by a DaemonSet, which ignores cordons' };
}

function decide(pod: DrainablePod, facts: PlanFacts): Decision {
  const { evictsUnmanaged = true, evictsLocalStorage = true } = facts;
  if (pod.isMirror) return { kind: 'stays', reason: 'a static pod of the kubelet' };
  if (facts.isUnreachable === true && pod.deletionMs !== undefined) {
    const seconds = Math.floor((facts.nowMs - pod.deletionMs) / 1000);
    if (seconds > skipAfterSeconds) return { kind: 'stays', reason: 'being deleted on a node that does not answer' };
  }
  const ofDaemonSet = daemonSetDecision(pod, facts);
  if (ofDaemonSet !== undefined) return ofDaemonSet;
  if (isFinished(pod)) return { kind: 'goes' };
  if (pod.hasLocalStorage && !evictsLocalStorage) {
    return { kind: 'refused', reason: 'has local storage (emptyDir), whose content would be lost' };
  }
  if (pod.controller === undefined) {
    if (!evictsUnmanaged) return { kind: 'refused', reason: 'has no controller that would create it again' };
    return { kind: 'goes', warning: 'no controller creates it again' };
  }
  return pod.hasLocalStorage ? { kind: 'goes', warning: 'the content of its emptyDir is lost' } : { kind: 'goes' };
}

/** Plans a drain; changes nothing.
 *  @throws TerminalError InvalidSelector, of a rule
 *  @see docs/spec/machine-lifecycle.md#6-drain-engine */
export function planDrain(facts: PlanFacts): DrainPlan {
  const { rules = [], namespaceLabels = () => ({}) } = facts;
  const steps = new Map<number, LeavingPod[]>();
  const staying: { pod: DrainablePod; reason: string }[] = [];
  const refused: { pod: DrainablePod; reason: string }[] = [];
  for (const pod of facts.pods) {
    const decision = decide(pod, facts);
    if (decision.kind !== 'goes') {
      (decision.kind === 'stays' ? staying : refused).push({ pod, reason: decision.reason });
      continue;
    }
    const { order, behavior } = ruleFor(pod, rules, namespaceLabels);
    if (behavior === 'Skip') {
      staying.push({ pod, reason: 'skipped by a rule' });
      continue;
    }
    const waitsForCompletion = behavior === 'WaitCompleted';
    if (waitsForCompletion && isFinished(pod)) continue;
    const { warning } = decision;
    const step = steps.get(order) ?? [];
    step.push({ pod, waitsForCompletion, ...(warning === undefined ? {} : { warning }) });
    steps.set(order, step);
  }
  const orders = [...steps.keys()].toSorted((a, b) => a - b);
  return { steps: orders.map((order) => steps.get(order) ?? []), staying, refused };
}
