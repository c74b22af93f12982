import type { Subscription } from '../../api/index.ts';
import type { NamespacedName } from '../../kube/index.ts';
import { formatNamespacedName } from '../../kube/index.ts';
import type { LabelledValue } from '../../metrics/index.ts';

/** Counts reconciles by Subscription, as OLM does: a change of the labels starts a new series. Two that have one name in two namespaces are counted each,
 *  and shown as one where their labels are the same. */
export class SubscriptionCounts {
  readonly #counts = new Map<string, LabelledValue>();

  count({ metadata, spec, status }: Subscription): void {
    const { name, namespace = '' } = metadata;
    const labels = {
      name,
      installed: status?.installedCSV ?? '',
      channel: spec.channel ?? '',
      package: spec.name,
      approval: spec.installPlanApproval ?? '',
    };
    const key = formatNamespacedName({ namespace, name });
    const before = this.#counts.get(key);
    const isSame = JSON.stringify(before?.labels) === JSON.stringify(labels);
    this.#counts.set(key, { labels, value: isSame ? (before?.value ?? 0) + 1 : 1 });
  }

  /** It was deleted. */
  forget(name: NamespacedName): void {
    this.#counts.delete(formatNamespacedName(name));
  }

  /** The counts so far. */
  values(): readonly LabelledValue[] {
    return [...this.#counts.values()];
  }
}
