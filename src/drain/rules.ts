import { parseDrainRule } from '../api/index.ts';
import { errorMessage, isSelected, type LabelSelector, TerminalError } from '../base/index.ts';
import type { KubeObject } from '../kube/index.ts';
import type { DrainablePod } from './pods.ts';

/** What a drain does with a pod: evict it, leave it, or wait until it has completed. */
export type DrainBehavior = 'Drain' | 'Skip' | 'WaitCompleted';

/** A rule for pods of a drain. The first rule by name that selects a pod counts. */
export interface DrainRule {
  readonly name: string;
  /** Absent: all pods. */
  readonly podSelector?: LabelSelector;
  /** Absent: all namespaces. */
  readonly namespaceSelector?: LabelSelector;
  /** Absent: all nodes. */
  readonly machineSelector?: LabelSelector;
  /** Pods of a lower order go first; the next order begins when they are gone. */
  readonly order: number;
  readonly behavior: DrainBehavior;
}

/** The rules of a cluster.
 *  @throws TerminalError InvalidObject: a rule that cannot be read may be there to keep a pod, so that nothing is evicted */
export function readDrainRules(objects: readonly KubeObject[]): readonly DrainRule[] {
  return objects.map((object) => {
    const { metadata, spec } = parseDrainRule(object);
    return { order: 0, behavior: 'Drain', ...spec, name: metadata.name };
  });
}

/** On a pod: `skip` or `wait-completed`, before all rules. */
const behaviorLabel = 'drain.platform/behavior';

const byLabel: Readonly<Record<string, DrainBehavior>> = { skip: 'Skip', 'wait-completed': 'WaitCompleted' };

function labelled(pod: DrainablePod): DrainBehavior | undefined {
  const value = pod.labels[behaviorLabel] ?? '';
  return Object.hasOwn(byLabel, value) ? byLabel[value] : undefined;
}

type Labels = Readonly<Record<string, string>>;

/** What rules select by, beside the labels of a pod. */
export interface RuleLabels {
  readonly ofNamespace: (namespace: string) => Labels;
  /** Undefined: the node has no machine. */
  readonly ofMachine: Labels | undefined;
}

function selects(rule: DrainRule, pod: DrainablePod, { ofNamespace, ofMachine }: RuleLabels): boolean {
  const { name, podSelector, namespaceSelector, machineSelector } = rule;
  try {
    if (machineSelector !== undefined && (ofMachine === undefined || !isSelected(machineSelector, ofMachine))) {
      return false;
    }
    if (podSelector !== undefined && !isSelected(podSelector, pod.labels)) return false;
    return namespaceSelector === undefined || isSelected(namespaceSelector, ofNamespace(pod.namespace));
  } catch (cause) {
    throw new TerminalError('InvalidSelector', `DrainRule ${name}: ${errorMessage(cause)}`, { cause });
  }
}

/** What decides about a pod: its label, or a rule of this name. */
export type DecidedBy = { readonly label: string } | { readonly rule: string };

/** `DrainRule jobs`, or `label drain.platform/behavior`. */
export function describeDecidedBy(by: DecidedBy): string {
  return 'rule' in by ? `DrainRule ${by.rule}` : `label ${by.label}`;
}

/** What happens to the pod, and when. Without a rule it is evicted with order 0. `by`: what decides that, if anything does.
 *  @throws TerminalError InvalidSelector */
export function ruleFor(
  pod: DrainablePod,
  rules: readonly DrainRule[],
  labels: RuleLabels,
): Pick<DrainRule, 'order' | 'behavior'> & { readonly by?: DecidedBy } {
  const sorted = rules.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rule = sorted.find((one) => selects(one, pod, labels));
  const { order = 0, behavior = 'Drain' } = rule ?? {};
  const own = labelled(pod);
  if (own !== undefined) return { order, behavior: own, by: { label: behaviorLabel } };
  return rule === undefined ? { order, behavior } : { order, behavior, by: { rule: rule.name } };
}
