import type { Explanation } from '../support/explanation.ts';

const failureText = /^clusterVersion\.status\.conditions\.(?:Failing|Progressing)\.message$/;

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
    kind: 'deliberate',
    reason:
      'The ConfigMap `signatures-managed` exists once there is a signature to keep. The reference creates it empty.',
    path: /^(?:objects\[ConfigMap openshift-config-managed\/signatures-managed\]|writes\[\(no manifest\)\])$/,
    shows:
      /^(?:\{"apiVersion":"v1","kind":"ConfigMap","metadata":\{"name":"signatures-managed","namespace":"openshift-config-managed"\}\}|\["create ConfigMap openshift-config-managed\/signatures-managed"\]) $/,
  },
  {
    kind: 'deliberate',
    reason:
      'Objects are written by server-side apply. What a release does not state belongs to others and stays: replicas, added containers, ports, labels. What it does not state any more is removed.',
    scenarios: [
      'drift-deployment',
      'drift-deployment-template',
      'drift-service',
      'drift-widget',
      'drift-widget-metadata',
      'update-removes-key',
      'install-adopted',
    ],
    path: /^(?:objects\[(?:Deployment|Service|Widget|ConfigMap|Role|Namespace) |writes\[20 |unreached$)/,
  },
  {
    kind: 'deliberate',
    reason:
      'A release without ClusterOperators waits for its workloads: a paused Deployment is reported. The reference waits for no roll-out.',
    scenarios: ['drift-deployment'],
    path: /^clusterVersion\.status\.conditions\.(?:Failing|Progressing)\./,
    shows: /WorkloadUpdating|is not rolled out|"True"|Cluster version is/,
  },
  {
    kind: 'deliberate',
    reason: 'What a release deletes and a user creates again is deleted again.',
    scenarios: ['update-deletes'],
    path: /^(?:objects\[ConfigMap test\/beta\]|writes\[20 beta\])$/,
  },
  {
    kind: 'deliberate',
    reason:
      'The engine belongs to no release. Without `desiredUpdate` it keeps the release that was completed last, and never goes back to one because its own process was started from it.',
    scenarios: ['history-partial', 'history-other-image', 'update-restart', 'update-engine'],
  },
  {
    kind: 'deliberate',
    reason:
      'Accepted risks can always be listed, so the text that names the members of `desiredUpdate` names them too.',
    path: /^clusterVersion\.status\.conditions\.Invalid\.message$/,
    shows: /or acceptRisks/,
  },
  {
    kind: 'deliberate',
    reason: 'A message about a broken payload names the file, not the folder that the engine has unpacked it to.',
    path: /^(?:clusterVersion\.status\.conditions\.ReleaseAccepted\.message|events)$/,
    shows: /Error loading manifests/,
  },
  {
    kind: 'defect',
    reason:
      'A failure names its cause, as the API server or the check has stated it. The reference shows the outer message alone.',
    path: failureText,
    shows: /Could not update /,
  },
  {
    kind: 'defect',
    reason:
      '`observedGeneration` is that of the spec that was read. The reference changes it when a round reports, so it stays behind while a spec is invalid or a release is refused.',
    path: /^clusterVersion\.status\.observedGeneration$/,
  },
];
