import type { ClusterEvent, KubeObject } from '../../../apiserver/index.ts';
import { type ClusterVersion, parseClusterVersion } from '../../../src/api/index.ts';
import type { KubeObject as ClientObject } from '../../../src/kube/index.ts';
import { releaseAnnotation } from '../../support/real-release.ts';

/** History from its begin, as `version image`. */
function entriesOf({ status }: ClusterVersion): readonly string[] {
  return (status?.history ?? []).map(({ version, image }) => `${version} ${image}`).toReversed();
}

function completedOf({ status }: ClusterVersion): readonly boolean[] {
  return (status?.history ?? []).map(({ state }) => state === 'Completed').toReversed();
}

/** The manifests that are done while a release is applied; undefined between two. */
function doneOf({ status }: ClusterVersion): number | undefined {
  return status?.history?.[0]?.state === 'Partial' ? (status.progress?.done ?? 0) : undefined;
}

/** What a status no longer has that the one before had. */
function stepsBack(before: ClusterVersion, after: ClusterVersion): string[] {
  const [earlier, later] = [entriesOf(before), entriesOf(after)];
  const kept = earlier.every((entry, index) => later[index] === entry);
  const isDoubled = later.some((entry, index) => entry === later[index + 1]);
  const completed = completedOf(after);
  const isReopened = completedOf(before).some((isComplete, index) => isComplete && completed[index] !== true);
  const isSame = before.status?.desired.version === after.status?.desired.version;
  const [done, doneNow] = [doneOf(before) ?? 0, doneOf(after)];
  return [
    ...(kept ? [] : [`the history ${earlier.join(', ')} became ${later.join(', ')}`]),
    ...(isDoubled ? [`the history has an entry twice: ${later.join(', ')}`] : []),
    ...(isReopened ? ['a completed entry of the history is partial again'] : []),
    ...(isSame && doneNow !== undefined && doneNow < done ? [`${done} manifests were done, then ${doneNow}`] : []),
  ];
}

const releaseOf = ({ metadata }: KubeObject): string => metadata.annotations?.[releaseAnnotation] ?? '';

function objectStepsBack({ type, object, previous }: ClusterEvent): string[] {
  const { kind, metadata } = object;
  const name = `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  const [before, after] = [previous === undefined ? '' : releaseOf(previous), releaseOf(object)];
  if (type === 'DELETED') return after === '' ? [] : [`${name} of ${after} was deleted`];
  return before > after ? [`${name} was of ${before}, then of ${after || 'no release'}`] : [];
}

/** Steps back of a write to a cluster: an object of an older release after that of a newer one, a deleted object of a release, and entries and
 *  progress that the status of the ClusterVersion no longer has. Empty for others. */
export function backwardSteps(event: ClusterEvent): string[] {
  const { type, object, previous } = event;
  if (object.kind !== 'ClusterVersion') return objectStepsBack(event);
  if (previous === undefined || type === 'DELETED') return [];
  return stepsBack(parseClusterVersion(previous as ClientObject), parseClusterVersion(object as ClientObject));
}
