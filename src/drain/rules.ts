import { isSelected, type LabelSelector } from '../base/index.ts';
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
  /** Pods of a lower order go first; the next order begins when they are gone. */
  readonly order: number;
  readonly behavior: DrainBehavior;
}

/** On a pod: `skip` or `wait-completed`, before all rules. */
const behaviorLabel = 'drain.platform/behavior';

const byLabel: Readonly<Record<string, DrainBehavior>> = { skip: 'Skip', 'wait-completed': 'WaitCompleted' };

function labelled(pod: DrainablePod): DrainBehavior | undefined {
  const value = pod.labels[behaviorLabel] ?? '';
  return Object.hasOwn(byLabel, value) ? byLabel[value] : undefined;
}

/** What happens to the pod, and when. Without a rule it is evicted with order 0.
 *  @throws TerminalError InvalidSelector */
export function ruleFor(
  pod: DrainablePod,
  rules: readonly DrainRule[],
  namespaceLabels: (namespace: string) => Readonly<Record<string, string>>,
): Pick<DrainRule, 'order' | 'behavior'> {
  const sorted = rules.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rule = sorted.find(
    ({ podSelector = {}, namespaceSelector }) =>
      isSelected(podSelector, pod.labels) &&
      (namespaceSelector === undefined || isSelected(namespaceSelector, namespaceLabels(pod.namespace))),
  );
  const { order = 0, behavior = 'Drain' } = rule ?? {};
  return { order, behavior: labelled(pod) ?? behavior };
}
