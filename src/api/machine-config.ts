import type { Resource } from './resource.ts';

const apiVersion = 'machineconfiguration.openshift.io/v1';

/** Where configurations of nodes are served.
 *  @see docs/spec/machine-lifecycle.md#objects */
export const machineConfigResource: Resource = { apiVersion, kind: 'MachineConfig', plural: 'machineconfigs' };
/** Where pools of nodes are served. */
export const machineConfigPoolResource: Resource = {
  apiVersion,
  kind: 'MachineConfigPool',
  plural: 'machineconfigpools',
};

/** On MachineConfigs: the pool that they are made for. */
export const machineConfigRoleLabel = 'machineconfiguration.openshift.io/role';

/** Pools that every cluster has. All others are custom pools. */
export const poolNames = { master: 'master', worker: 'worker', arbiter: 'arbiter' } as const;

/** Annotations of nodes that are updated by pools, and of rendered configurations.
 *  @see docs/spec/machine-lifecycle.md#node-annotations */
export const nodeUpdateAnnotations = {
  /** What the node has; written by its agent. */
  currentConfig: 'machineconfiguration.openshift.io/currentConfig',
  /** What it is to have; written by the controller of pools. */
  desiredConfig: 'machineconfiguration.openshift.io/desiredConfig',
  currentImage: 'machineconfiguration.openshift.io/currentImage',
  desiredImage: 'machineconfiguration.openshift.io/desiredImage',
  /** What the agent does. */
  state: 'machineconfiguration.openshift.io/state',
  /** Why it is degraded. */
  reason: 'machineconfiguration.openshift.io/reason',
  /** Request of the agent: `drain-<config>` or `uncordon-<config>`. */
  desiredDrain: 'machineconfiguration.openshift.io/desiredDrain',
  /** The request that was met last. */
  lastAppliedDrain: 'machineconfiguration.openshift.io/lastAppliedDrain',
  /** `Rebooting` while the agent restarts the node. */
  postConfigAction: 'machineconfiguration.openshift.io/post-config-action',
  controlPlaneTopology: 'machineconfiguration.openshift.io/controlPlaneTopology',
  /** Since when a request is being worked on, and which. Not in OpenShift. */
  requestStarted: 'machineconfiguration.openshift.io/drain-request-started',
  /** Which pods a drain waits for. Not in OpenShift. */
  drainBlocked: 'machineconfiguration.openshift.io/drain-blocked',
  /** On a pool: the configuration, and the gates that its update goes on without: `rendered-worker-1 canary smoke`. Not in OpenShift. */
  skipGates: 'machineconfiguration.openshift.io/skip-gates',
  /** On a CronJob: the pools that may run it as a check, separated by commas. Not in OpenShift. */
  checkOf: 'machineconfiguration.openshift.io/check-of',
  /** On a Job: the pool that it is a check of. Not in OpenShift. */
  checkedPool: 'machineconfiguration.openshift.io/checked-pool',
  /** On a rendered MachineConfig: the version of the release. */
  releaseVersion: 'machineconfiguration.openshift.io/release-image-version',
  /** On a rendered MachineConfig: the version of the controller. */
  generatedBy: 'machineconfiguration.openshift.io/generated-by-controller-version',
} as const;

/** Keeps pods away from nodes that are about to be updated. */
export const updateInProgressTaint = { key: 'UpdateInProgress', effect: 'PreferNoSchedule' } as const;

/** States of a node agent. */
export type NodeAgentState = 'Done' | 'Working' | 'Degraded' | 'Unreconcilable';

/** Condition types of a MachineConfigPool. `RolloutHeld` is not in OpenShift. */
export type PoolConditionType = 'Updated' | 'Updating' | 'NodeDegraded' | 'RenderDegraded' | 'Degraded' | 'RolloutHeld';

/** Gates that have a name of their own, and can be skipped like checks. */
export const rolloutGates = {
  budgets: 'disruption-budgets',
  canary: 'canary',
  daemonSets: 'daemon-sets',
  etcd: 'etcd-health',
  window: 'maintenance-window',
} as const;
