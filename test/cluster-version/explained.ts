import type { Explanation } from '../support/explanation.ts';

/** Every difference from the real cluster-version-operator, with its reason. Those that occur no more have to be removed.
 *  @see docs/cluster-version-conformance.md */
export const explanations: readonly Explanation[] = [
  {
    kind: 'deliberate',
    reason:
      '`status.progress` and `status.pendingDeletions` keep how far an update is, what it waits for since when, and which deletions it has requested: a restart forgets nothing, and `longshore upgrade status` shows it.',
    path: /^clusterVersion\.status\.(?:progress|pendingDeletions)\b/,
  },
  {
    kind: 'defect',
    reason:
      'The reference writes its whole Go types. Members that it leaves empty, such as `extension` of a ClusterOperator, are not written.',
    path: /^objects\[ClusterOperator [^\]]+\]\.status\.extension$/,
  },
  {
    kind: 'deliberate',
    reason: 'The ConfigMap `signatures-managed` exists once there is a signature to keep. The reference creates it empty.',
    path: /^(?:objects\[ConfigMap openshift-config-managed\/signatures-managed\]|writes\[\(no manifest\)\])$/,
    shows: /^(?:\{"apiVersion":"v1","kind":"ConfigMap","metadata":\{"name":"signatures-managed","namespace":"openshift-config-managed"\}\}|\["create ConfigMap openshift-config-managed\/signatures-managed"\]) $/,
  },
];
