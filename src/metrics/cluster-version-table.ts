import type { Definition } from './definition.ts';

/** Metrics of cluster updates, all of which are read when they are served. */
export type ClusterVersionMetricName =
  | 'cluster_version'
  | 'cluster_version_available_updates'
  | 'cluster_version_payload'
  | 'cluster_version_capability'
  | 'cluster_version_risk_conditions'
  | 'cluster_version_conditional_update_condition_seconds'
  | 'cluster_version_operator_update_retrieval_timestamp_seconds'
  | 'cluster_operator_up'
  | 'cluster_operator_conditions'
  | 'cluster_operator_condition_transitions'
  | 'cluster_operator_payload_errors'
  | 'cluster_installer';

/** Metrics with the names and labels of OpenShift, for dashboards and alerts that exist. Some of the labels are names of objects.
 *  @see docs/spec/cluster-version.md#metrics */
export const clusterVersionTable: Readonly<Record<ClusterVersionMetricName, Definition>> = {
  cluster_version: {
    kind: 'gauge',
    labels: ['type', 'version', 'image', 'from_version'],
    help: 'Releases of the cluster by type: current, initial, cluster, completed, desired, updating or failure; the value is the Unix time since which that is so.',
  },
  cluster_version_available_updates: {
    kind: 'gauge',
    labels: ['upstream', 'channel'],
    help: 'Recommended updates, by update service and channel; absent while they are unknown.',
  },
  cluster_version_payload: {
    kind: 'gauge',
    labels: ['version', 'type'],
    help: 'Manifests of the release that is applied; type is applied or pending.',
  },
  cluster_version_capability: {
    kind: 'gauge',
    labels: ['name'],
    help: '1 for a capability that is enabled, 0 for a known one that is not.',
  },
  cluster_version_risk_conditions: {
    kind: 'gauge',
    labels: ['condition', 'risk', 'reason'],
    help: 'Whether a risk of updates applies: 1, 0, or -1 while that is unknown.',
  },
  cluster_version_conditional_update_condition_seconds: {
    kind: 'gauge',
    labels: ['version', 'condition', 'status', 'reason'],
    help: 'Unix time since which a conditional update has the status of its condition.',
  },
  cluster_version_operator_update_retrieval_timestamp_seconds: {
    kind: 'gauge',
    labels: ['name'],
    help: 'Unix time at which the update service answered last.',
  },
  cluster_operator_up: {
    kind: 'gauge',
    labels: ['name', 'version', 'reason'],
    help: '1 while a ClusterOperator is available, 0 otherwise; the ClusterVersion is the one named version.',
  },
  cluster_operator_conditions: {
    kind: 'gauge',
    labels: ['name', 'condition', 'reason'],
    help: '1 for a condition of a ClusterOperator that is True, 0 for one that is False; the ClusterVersion is the one named version.',
  },
  cluster_operator_condition_transitions: {
    kind: 'gauge',
    labels: ['name', 'condition'],
    help: 'Changes of the status of a condition since the process started.',
  },
  cluster_operator_payload_errors: {
    kind: 'gauge',
    labels: ['version'],
    help: 'Failures of the last round in which the release was applied.',
  },
  cluster_installer: {
    kind: 'gauge',
    labels: ['type', 'version', 'invoker'],
    help: 'Always 1; what installed the cluster, as the ConfigMap openshift-install of the namespace openshift-config has it.',
  },
};
