import type { Explanation } from '../support/explanation.ts';

/** Every difference from the real controllers, with its reason. Those that occur no more have to be removed.
 *  @see docs/machine-conformance.md */
export const explanations: readonly Explanation[] = [
  {
    kind: 'deliberate',
    reason:
      'A Node that a drain cordons has the annotation `drain.platform/cordoned-by`, so that no one uncordons what another has cordoned.',
    path: /\.annotations\[drain\.platform\/cordoned-by\]$/,
  },
  {
    kind: 'deliberate',
    reason:
      'A deletion that waits has the condition `DeletionHeld`, which names what holds it and since when. The reference has no age of hooks.',
    path: /\.conditions\.DeletionHeld$/,
  },
  {
    kind: 'deliberate',
    reason:
      'The status has the id that the provider has reported: a machine gets a Node by the id in its spec, which users may change, only while both agree. With the reference, users who may write Machines take the Node of another instance.',
    path: /\.status\.providerID$/,
  },
  {
    kind: 'deliberate',
    reason: 'Texts about a machine or set that is not valid name the field where it is, and what is expected there.',
    path: /^events$/,
    shows: /FailedValidate|ReconcileError/,
  },
  {
    kind: 'deliberate',
    reason:
      'A machine that is being deleted needs to be no valid one. The reference validates it, and never deletes it while the label of its cluster is missing.',
    scenarios: ['delete-invalid-machine'],
  },
  {
    kind: 'defect',
    reason:
      'A drain that fails is stored as `Drained` False, with the pods that hold it and what refuses to evict each in `status.drain`. The reference sets that condition in memory alone and reports Events.',
    scenarios: ['drain-budget', 'drain-control-plane', 'drain-refused'],
    path: /\.conditions\.Drained$|\.status\.drain$/,
  },
  {
    kind: 'deliberate',
    reason:
      'The Event of a drain that waits names the pod and what refuses to evict it, and a budget that can never allow a disruption has a Warning. The reference reports its own deadline.',
    scenarios: ['drain-budget', 'drain-refused'],
    path: /^events$/,
    shows: /DrainRequeued|PodDisruptionBudgetDeadlock/,
  },
  {
    kind: 'resync',
    reason: 'A node that waits for another one of the control plane reports the interval, which was shortened.',
    scenarios: ['drain-control-plane'],
    path: /^events$/,
    shows: /DrainRequeued/,
  },
  {
    kind: 'deliberate',
    reason:
      'An operation that the provider fails has an Event with its error. In the reference, actuators record such Events; the one of the comparison does not.',
    path: /^events$/,
    shows: /FailedCreate|FailedUpdate|FailedDelete/,
  },
  {
    kind: 'deliberate',
    reason:
      'An Event about a machine that has no Node yet reports that. The reference calls the Node unhealthy, without a name, and ends the name of such a machine with a slash.',
    path: /^events$/,
    shows:
      /DetectedUnhealthy: Machine \S+ has (no node yet|unhealthy node)\s*$|MachineDeleted: Machine machines\/check\/a\/? has/,
  },
  {
    kind: 'defect',
    reason:
      'A check counts a machine no more that has been deleted. The reference counts it until something happens to another one.',
    scenarios: ['check-not-ready', 'check-failed'],
    path: /^objects\[MachineHealthCheck machines\/check\]\.status\.expectedMachines$/,
  },
];
