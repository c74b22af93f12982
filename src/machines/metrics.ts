import { type Machine, parseMachine } from '../api/index.ts';
import type { KindCache } from '../kube/index.ts';
import type { MetricValues } from '../metrics/index.ts';
import { holdingOf } from './conditions.ts';

const phases = ['None', 'Provisioning', 'Provisioned', 'Running', 'Deleting', 'Failed'] as const;
const stages = ['preDrain', 'preTerminate'] as const;

function ageOf(since: string, nowMs: number): number {
  const seconds = (nowMs - Date.parse(since)) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

function longest(ages: readonly number[]): number {
  return ages.reduce((most, age) => Math.max(most, age), 0);
}

const isDrainBlocked = ({ status }: Machine): boolean =>
  status?.conditions?.some(({ type, status: state }) => type === 'Drained' && state === 'False') === true;

/** Metrics of all machines. A phase that others wrote makes no label of its own. */
export function machineMetrics(
  caches: { readonly machines: Pick<KindCache, 'values'>; readonly sets: Pick<KindCache, 'values'> },
  nowMs: number,
): MetricValues {
  const machines = caches.machines.values().map(parseMachine);
  const deleting = machines.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const held = deleting.map((machine) => ({ machine, ...holdingOf(machine) }));
  const hooks = held.filter(({ machine, stage }) => (machine.spec?.lifecycleHooks?.[stage] ?? []).length > 0);
  return {
    mapi_machine_items: machines.length,
    mapi_machineset_items: caches.sets.values().length,
    longshore_machines: phases.map((phase) => ({
      labels: { phase },
      value: machines.filter(({ status }) => (status?.phase ?? 'None') === phase).length,
    })),
    longshore_machine_deletion_oldest_seconds: longest(
      deleting.map(({ metadata }) => ageOf(metadata.deletionTimestamp ?? '', nowMs)),
    ),
    longshore_machine_hook_oldest_seconds: stages.map((stage) => ({
      labels: { stage },
      value: longest(hooks.filter((one) => one.stage === stage).map(({ since }) => ageOf(since, nowMs))),
    })),
    longshore_machine_drains_blocked: deleting.filter(isDrainBlocked).length,
  };
}
