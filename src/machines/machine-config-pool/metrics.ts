import { nodeUpdateAnnotations, parseMachineConfigPool } from '../../api/index.ts';
import type { MetricValues } from '../../metrics/index.ts';
import type { PoolContext } from './context.ts';
import { holdReasons } from './hold.ts';
import { readPools } from './membership.ts';

const counted = ['machine', 'updated', 'ready', 'unavailable', 'degraded'] as const;
const conditionTypes = ['Updated', 'Updating', 'Degraded', 'RenderDegraded'] as const;
const { desiredDrain, lastAppliedDrain, requestStarted } = nodeUpdateAnnotations;

function poolConditions(context: PoolContext): MetricValues {
  const counts = new Map<string, number>();
  for (const object of context.pools.values()) {
    const { conditions = [] } = parseMachineConfigPool(object).status ?? {};
    for (const { type = '', status = '' } of conditions) {
      const isCounted = (conditionTypes as readonly string[]).includes(type) && ['True', 'False'].includes(status);
      if (isCounted) counts.set(`${type} ${status}`, (counts.get(`${type} ${status}`) ?? 0) + 1);
    }
  }
  const values = [...counts].map(([key, value]) => {
    const [condition = '', status = ''] = key.split(' ');
    return { labels: { condition, status }, value };
  });
  return { longshore_pool_conditions: values };
}

function poolNodes(context: PoolContext): MetricValues {
  const pools = readPools(context);
  const values = counted.map((state) => {
    const numbers = pools.map(({ status }) => status?.[`${state}MachineCount` as 'readyMachineCount'] ?? 0);
    const all = pools.map(({ status }) => status?.machineCount ?? 0);
    return {
      labels: { state: state === 'machine' ? 'all' : state },
      value: (state === 'machine' ? all : numbers).reduce((sum, count) => sum + count, 0),
    };
  });
  return { longshore_pool_nodes: values };
}

/** How long the oldest drain has been requested. */
function oldestDrain({ nodes, clock }: PoolContext): MetricValues {
  const nowMs = clock.now();
  const ages = nodes.values().flatMap(({ metadata }) => {
    const { annotations = {} } = metadata;
    const request = annotations[desiredDrain] ?? '';
    if (!request.startsWith('drain-') || request === annotations[lastAppliedDrain]) return [];
    const [time = ''] = (annotations[requestStarted] ?? '').split(' ');
    const ageMs = nowMs - Date.parse(time);
    return ageMs > 0 ? [ageMs / 1000] : [];
  });
  return { longshore_node_drain_oldest_seconds: [{ labels: {}, value: Math.max(0, ...ages) }] };
}

/** How long the oldest hold of each kind lasts. */
function oldestHolds(context: PoolContext): MetricValues {
  const nowMs = context.clock.now();
  const ages = readPools(context).flatMap(({ status }) => {
    const held = status?.conditions?.find(({ type, status: state }) => type === 'RolloutHeld' && state === 'True');
    const sinceMs = Date.parse(status?.rollout?.hold?.since ?? '');
    return held === undefined || Number.isNaN(sinceMs)
      ? []
      : [{ reason: held.reason ?? '', age: (nowMs - sinceMs) / 1000 }];
  });
  const values = Object.values(holdReasons).map((reason) => {
    const own = ages.filter((one) => one.reason === reason).map(({ age }) => age);
    return { labels: { reason }, value: Math.max(0, ...own) };
  });
  return { longshore_pool_hold_oldest_seconds: values };
}

/** What Prometheus reads of pools. */
export function poolMetrics(context: PoolContext): MetricValues {
  return { ...poolConditions(context), ...poolNodes(context), ...oldestHolds(context), ...oldestDrain(context) };
}
