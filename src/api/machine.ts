import type { Resource } from './resource.ts';

const apiVersion = 'machine.openshift.io/v1beta1';

/** Where machines are served.
 *  @see docs/spec/machine-lifecycle.md#2-machine-api */
export const machineResource: Resource = { apiVersion, kind: 'Machine', plural: 'machines' };
/** Where sets of machines are served.
 *  @see docs/spec/machine-lifecycle.md#7-machine-sets-and-health-checks-short */
export const machineSetResource: Resource = { apiVersion, kind: 'MachineSet', plural: 'machinesets' };
/** Where health checks of machines are served. */
export const machineHealthCheckResource: Resource = {
  apiVersion,
  kind: 'MachineHealthCheck',
  plural: 'machinehealthchecks',
};

/** Keeps a Machine until its instance and its node are gone. */
export const machineFinalizer = 'machine.machine.openshift.io';

/** Labels of machines. */
export const machineLabels = {
  /** The cluster of the machine; required. */
  cluster: 'machine.openshift.io/cluster-api-cluster',
  role: 'machine.openshift.io/cluster-api-machine-role',
  type: 'machine.openshift.io/cluster-api-machine-type',
  instanceType: 'machine.openshift.io/instance-type',
  region: 'machine.openshift.io/region',
  zone: 'machine.openshift.io/zone',
} as const;

/** Annotations of machines and their nodes. */
export const machineAnnotations = {
  /** State of the instance, as the provider names it. */
  instanceState: 'machine.openshift.io/instance-state',
  /** With any value: the node is not drained. */
  excludeNodeDraining: 'machine.openshift.io/exclude-node-draining',
  /** With a value: its set deletes this machine first. */
  deleteMachine: 'machine.openshift.io/delete-machine',
  oldDeleteMachine: 'machine.openshift.io/cluster-api-delete-machine',
  /** On a Node: namespace and name of its machine. */
  machineOfNode: 'machine.openshift.io/machine',
  /** On a MachineHealthCheck: `external-baremetal` leaves the deletion to another controller. */
  remediationStrategy: 'machine.openshift.io/remediation-strategy',
  externalRemediation: 'host.metal3.io/external-remediation',
  /** With any value: health checks are paused. */
  paused: 'cluster.x-k8s.io/paused',
  /** On a machine or node whose node is being updated: until when health checks leave it alone. */
  nodeUpdateInProgress: 'machine.openshift.io/node-update-in-progress',
  /** On a machine that is being deleted: names of hooks, separated by commas, that are removed without their owners. */
  forceHookRemoval: 'machine.openshift.io/force-hook-removal',
} as const;

/** Where a machine is in its life. */
export type MachinePhase = 'Provisioning' | 'Provisioned' | 'Running' | 'Deleting' | 'Failed';
/** Condition types of a Machine. */
export type MachineConditionType =
  | 'Drainable'
  | 'Drained'
  | 'Terminable'
  | 'InstanceExists'
  | 'Paused'
  | 'DeletionHeld';
/** Reasons of these conditions. */
export type MachineConditionReason =
  | 'HookPresent'
  | 'ProviderFailed'
  | 'DrainError'
  | 'PodsAwaited'
  | 'InstanceMissing'
  | 'InstanceNotCreated'
  | 'ErrorCheckingProvider'
  | 'AuthoritativeAPINotMachineAPI'
  | 'AuthoritativeAPIMachineAPI';
