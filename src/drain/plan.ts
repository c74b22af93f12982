import type { DrainablePod } from './pods.ts';
import { type DecidedBy, type DrainRule, ruleFor } from './rules.ts';

export interface PlanFacts {
  /** The pods of the node. */
  readonly pods: readonly DrainablePod[];
  /** Whether the DaemonSet exists. */
  hasDaemonSet(namespace: string, name: string): boolean;
  /** Default: none. */
  readonly rules?: readonly DrainRule[];
  /** Labels of a Namespace, for rules that select namespaces. */
  readonly namespaceLabels?: (namespace: string) => Readonly<Record<string, string>>;
  /** Labels of the machine of the node, for rules that select machines. Absent: it has none. */
  readonly machineLabels?: Readonly<Record<string, string>> | undefined;
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
  /** By what it is awaited until it has completed; undefined: it is evicted. */
  readonly awaitedBy?: DecidedBy;
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

/** Pods that no drain evicts: static ones, and those that are left to a node that does not answer. */
function stayingDecision(pod: DrainablePod, { isUnreachable = false, nowMs }: PlanFacts): Decision | undefined {
  if (pod.isMirror) return { kind: 'stays', reason: 'a static pod of the kubelet' };
  if (!isUnreachable || pod.deletionMs === undefined) return undefined;
  const seconds = Math.floor((nowMs - pod.deletionMs) / 1000);
  if (seconds <= skipAfterSeconds) return undefined;
  return { kind: 'stays', reason: 'being deleted on a node that does not answer' };
}

function lossDecision(pod: DrainablePod, facts: PlanFacts): Decision {
  const { evictsUnmanaged = true, evictsLocalStorage = true } = facts;
  if (pod.hasLocalStorage && !evictsLocalStorage) {
    return { kind: 'refused', reason: 'has local storage (emptyDir), whose content would be lost' };
  }
  if (pod.controller === undefined && !evictsUnmanaged) {
    return { kind: 'refused', reason: 'has no controller that would create it again' };
  }
  if (pod.controller === undefined) return { kind: 'goes', warning: 'no controller creates it again' };
  return pod.hasLocalStorage ? { kind: 'goes', warning: 'the content of its emptyDir is lost' } : { kind: 'goes' };
}

function decide(pod: DrainablePod, facts: PlanFacts): Decision {
  const early = stayingDecision(pod, facts) ?? daemonSetDecision(pod, facts);
  return early ?? (isFinished(pod) ? { kind: 'goes' } : lossDecision(pod, facts));
}

type Placed =
  | { readonly place: 'staying' | 'refused'; readonly reason: string }
  | { readonly place: 'done' }
  | { readonly place: 'leaving'; readonly order: number; readonly leaving: LeavingPod };

function placeOf(pod: DrainablePod, facts: PlanFacts): Placed {
  const decision = decide(pod, facts);
  if (decision.kind !== 'goes') {
    return { place: decision.kind === 'stays' ? 'staying' : 'refused', reason: decision.reason };
  }
  const { order, behavior, by } = ruleFor(pod, facts.rules ?? [], {
    ofNamespace: (namespace) => facts.namespaceLabels?.(namespace) ?? {},
    ofMachine: facts.machineLabels,
  });
  if (behavior === 'Skip') return { place: 'staying', reason: 'skipped by a rule' };
  const awaitedBy = behavior === 'WaitCompleted' ? by : undefined;
  if (awaitedBy !== undefined && isFinished(pod)) return { place: 'done' };
  const { warning } = decision;
  const leaving = { pod, ...(awaitedBy && { awaitedBy }), ...(warning === undefined ? {} : { warning }) };
  return { place: 'leaving', order, leaving };
}

/** Plans a drain; changes nothing.
 *  @throws TerminalError InvalidSelector, of a rule
 *  @see docs/spec/machine-lifecycle.md#6-drain-engine */
export function planDrain(facts: PlanFacts): DrainPlan {
  const placed = facts.pods.map((pod) => ({ pod, at: placeOf(pod, facts) }));
  const leaving = placed.flatMap(({ at }) => (at.place === 'leaving' ? [at] : []));
  const orders = [...new Set(leaving.map(({ order }) => order))].toSorted((a, b) => a - b);
  const others = (place: 'staying' | 'refused'): { pod: DrainablePod; reason: string }[] =>
    placed.flatMap(({ pod, at }) => (at.place === place ? [{ pod, reason: at.reason }] : []));
  return {
    steps: orders.map((order) => leaving.filter((one) => one.order === order).map((one) => one.leaving)),
    staying: others('staying'),
    refused: others('refused'),
  };
}
