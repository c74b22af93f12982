import type { Resource } from './resource.ts';

/** Where the kind is served.
 *  @see docs/spec/cluster-version.md#clusteroperator-api */
export const clusterOperatorResource: Resource = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterOperator',
  plural: 'clusteroperators',
};

/** Condition types of a ClusterOperator. */
export type ClusterOperatorConditionType =
  | 'Available'
  | 'Degraded'
  | 'EvaluationConditionsDetected'
  | 'Progressing'
  | 'Upgradeable';
