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
    kind: 'chance',
    reason:
      'The ConfigMap `signatures-managed` exists once there is a signature to keep, and has it at once. The reference creates it empty, and writes to it some seconds later, at one point of rest or the next.',
    path: /^(?:objects\[ConfigMap openshift-config-managed\/signatures-managed\](?:\.binaryData)?|writes\[\(no manifest\)\])$/,
    shows: /openshift-config-managed\/signatures-managed|"name":"signatures-managed"|^\s*\{"sha256-/,
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
      'two-keys',
    ],
    path: /^(?:objects\[(?:Deployment|Service|Widget|ConfigMap|Role|Namespace) |writes\[(?:20 |05 engine)|unreached$)/,
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
    reason:
      'A configuration that gets the TLS settings of the cluster has the same members, in block style; comments of an entry that changes are lost.',
    scenarios: ['tls-profile'],
    path: /^objects\[ConfigMap test\/server\]\.data\[(?:config\.yaml|controller\.json)\]$/,
    shows: /servingInfo/,
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
      'The engine belongs to no release: it continues with the newest release of the history. Without `desiredUpdate` it keeps the one that was completed last. The reference goes on with the release that its own process was started from.',
    scenarios: ['history-partial', 'history-other-image'],
    path: /^(?:unreached|events|clusterVersion\.status\.(?:capabilities|conditions|history|versionHash)|objects\[(?:Namespace|ConfigMap) |writes\[)/,
  },
  {
    kind: 'deliberate',
    reason:
      'A process that starts in the middle of an update continues it. The reference goes back to the release that its own process was started from, and begins the update again.',
    scenarios: ['update-restart'],
    path: /^clusterVersion\.status\.history\[\d+\](?:\.state)?$/,
  },
  {
    kind: 'deliberate',
    reason:
      'The update service is asked for the updates of the version that the cluster has. The reference asks for those of the release that its process was started from, until the process of the new release starts.',
    scenarios: ['update-by-version', 'update-not-recommended'],
    path: /^clusterVersion\.status\.(?:availableUpdates|conditionalUpdates|desired\.(?:url|channels))/,
  },
  {
    kind: 'deliberate',
    reason:
      'Risks are listed with whether they apply: `conditionalUpdateRisks`, `riskNames` and `Applies`. In the reference a feature gate, which is off by default, does that.',
    path: /^clusterVersion\.status\.(?:conditionalUpdateRisks|conditionalUpdates\[\d+\]\.(?:riskNames|risks\[\d+\]\.conditions))$/,
  },
  {
    kind: 'deliberate',
    reason:
      'A release that several conditional edges lead to has the risks of all of them. The reference drops it without a word.',
    scenarios: ['graph-two-groups'],
    path: /^clusterVersion\.status\.conditionalUpdates$/,
  },
  {
    kind: 'deliberate',
    reason:
      'What is wrong with the answer of an update service is stated in the words of our parsers, with the node or edge that it is about.',
    scenarios: ['graph-no-json', 'graph-bad-edge', 'graph-bad-version', 'graph-bad-url'],
    path: /^clusterVersion\.status\.conditions\.RetrievedUpdates\.message$/,
  },
  {
    kind: 'deliberate',
    reason:
      'The condition of a refused release lists what was tried, a line each without times, so that it changes only with what is found. Events have the times. Stores are named once, not by how they are nested, and the history keeps the outcome alone, so that it stays small.',
    path: /^(?:clusterVersion\.status\.conditions\.ReleaseAccepted\.message|clusterVersion\.status\.history\[\d+\]\.acceptedRisks|events)$/,
    shows: /cannot be verified/,
  },
  {
    kind: 'deliberate',
    reason: 'Gates are named for any major version; the reference accepts 4 and 5.',
    path: /^clusterVersion\.status\.conditions\.Upgradeable\.message$/,
    shows: /must comply with/,
  },
  {
    kind: 'defect',
    reason:
      'A cluster without the ConfigMap `admin-gates` has no gates. The reference reports it as not upgradeable for ever.',
    path: /^clusterVersion\.status\.conditions\.Upgradeable$/,
    shows: /AdminAckUnknown/,
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
      'What was accepted for a release stays in its entry of the history. The reference erases it with the next request.',
    scenarios: ['update-retargeted'],
    path: /^clusterVersion\.status\.history\[\d+\]\.acceptedRisks$/,
  },
  {
    kind: 'defect',
    reason:
      'A failure names its cause, as the API server or the check has stated it. The reference shows the outer message alone.',
    path: failureText,
    shows: /Could not update /,
  },
  {
    kind: 'chance',
    reason:
      '`observedGeneration` is that of the spec that was read. The reference changes it when a round reports, so it may stay behind while a spec is invalid or a release is refused.',
    path: /^clusterVersion\.status\.observedGeneration$/,
  },
  {
    kind: 'chance',
    reason: 'Events of a release that was loaded. The reference does not write all of them each time.',
    scenarios: ['no-verification', 'two-keys'],
    path: /^events$/,
    shows: /^ Normal (?:LoadPayload|PayloadLoaded|PreconditionsPassed): /,
  },
  {
    kind: 'chance',
    reason:
      'Another version is requested during an installation, which the reference applies once the first one is complete: the newest entry is seen complete for a moment, or not, and minutes that pass as seconds are many on a busy machine.',
    scenarios: ['install-retargeted'],
    path: /^(?:unreached|clusterVersion\.status\.conditions\.(?:Failing|Progressing)\.)/,
    shows: /true|SlowClusterOperator|waiting on alpha|"(?:Unknown|False)"/,
  },
  {
    kind: 'chance',
    reason: 'The first round after an installation sees an operand that is missing, or is yet to come.',
    scenarios: ['install-operands'],
    path: /^clusterVersion\.status\.conditions\.(?:Failing|Progressing)\./,
    shows: /ClusterOperatorUpdating|updating versions|"(?:True|False)"/,
  },
  {
    kind: 'chance',
    reason:
      'A namespace that is deleted is created again in a round after its end; on a busy machine the reference does not come to it while the scenario waits.',
    scenarios: ['drift-namespace'],
    path: /^(?:unreached|objects\[|writes\[)/,
  },
  {
    kind: 'chance',
    reason: 'A deletion stays pending until its task runs again, which is before or after a point of rest.',
    scenarios: ['update-deletes'],
    path: /^clusterVersion\.status\.conditions\.Upgradeable$/,
    shows: /ResourceDeletionInProgress/,
  },
  {
    kind: 'chance',
    reason:
      'A request is withdrawn while the signature that it waits for arrives: the release is accepted just before, and rolled back, or it is not.',
    scenarios: ['two-keys'],
    path: /^(?:clusterVersion\.status\.(?:history|conditions\.ReleaseAccepted\.message)|writes\[10 alpha\]|events)/,
  },
  {
    kind: 'resync',
    reason: 'Why no updates are known is stated before the first installation has ended.',
    scenarios: ['invalid-at-first'],
    path: /^clusterVersion\.status\.conditions\.RetrievedUpdates\.(?:message|reason)$/,
  },
  {
    kind: 'deliberate',
    reason:
      'A rollback to the release that the process was started with is checked as any other one; only its signature is not asked for. The reference checks nothing.',
    scenarios: ['precondition-rollback'],
    path: /^(?:clusterVersion\.status\.history\[0\]\.acceptedRisks|events)$/,
    shows: /NoChannel|PreconditionsPassed/,
  },
];
