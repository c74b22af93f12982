import type { Definition } from './definition.ts';

/** Metrics of machines, all of which are read when they are served. */
export type MachineMetricName =
  | 'mapi_machine_items'
  | 'mapi_machineset_items'
  | 'longshore_machines'
  | 'longshore_machine_deletion_oldest_seconds'
  | 'longshore_machine_hook_oldest_seconds'
  | 'longshore_machine_drains_blocked';

/** Metrics of machines; the first two have the names of OpenShift.
 *  @see docs/spec/machine-lifecycle.md#9-alerts-metrics-cli */
export const machineTable: Readonly<Record<MachineMetricName, Definition>> = {
  mapi_machine_items: { kind: 'gauge', help: 'Machines in the cluster.' },
  mapi_machineset_items: { kind: 'gauge', help: 'MachineSets in the cluster.' },
  longshore_machines: {
    kind: 'gauge',
    labels: ['phase'],
    help: 'Number of Machines by phase; the phase is None before the first reconcile.',
  },
  longshore_machine_deletion_oldest_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest deletion of a Machine that is not complete; 0 without one.',
  },
  longshore_machine_hook_oldest_seconds: {
    kind: 'gauge',
    labels: ['stage'],
    help: 'How long a hook has held the deletion of a Machine, by stage; the longest, 0 without one.',
  },
  longshore_machine_drains_blocked: {
    kind: 'gauge',
    help: 'Machines whose node cannot be drained, because of PodDisruptionBudgets or errors.',
  },
};
