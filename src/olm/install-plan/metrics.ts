import type { JsonObject } from '../../base/index.ts';
import { objectAt, textAt } from '../../base/index.ts';
import type { KindCache, KubeObject } from '../../kube/index.ts';
import type { MetricValues } from '../../metrics/index.ts';

const phases: readonly string[] = ['Planning', 'RequiresApproval', 'Installing', 'Complete', 'Failed'];

/** A status that others wrote makes no labels of its own. */
function phaseOf(plan: KubeObject): string {
  const phase = textAt(objectAt(plan as JsonObject, 'status'), 'phase');
  return phases.includes(phase) ? phase : 'None';
}

/** Metrics of all InstallPlans.
 *  @see docs/spec/olm-v0.md#metrics */
export function planMetrics(cache: Pick<KindCache, 'values'>): MetricValues {
  const plans = cache.values();
  const counts = Map.groupBy(plans, phaseOf);
  return {
    install_plan_count: plans.length,
    longshore_install_plans: ['None', ...phases].map((phase) => ({
      labels: { phase },
      value: counts.get(phase)?.length ?? 0,
    })),
  };
}
