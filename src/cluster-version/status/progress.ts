import type { ProgressBlocker, ProgressLevel, ReleaseProgress } from '../../api/index.ts';
import { formatTimestamp } from '../../base/index.ts';
import { omissionOf } from '../../release/index.ts';
import type { UpdateFailure } from '../failures/update-failure.ts';
import { runlevelOf, type WorkerStatus } from '../round/sync-worker.ts';
import type { OperatorWaits } from './timing.ts';

const maxEntries = 50;
const maxMessageCharacters = 4_000;
const maxLevels = 200;
const maxComponents = 300;
const maxLevelCharacters = 16;

/** What a user can do about a failure, by its reason. */
const nextSteps: Readonly<Record<string, string | undefined>> = {
  ClusterOperatorDegraded: 'Look at the conditions of the ClusterOperator and at the logs of its operator.',
  ClusterOperatorNotAvailable: 'Look at the conditions of the ClusterOperator and at the logs of its operator.',
  ClusterOperatorNoVersions: 'The release is built wrongly: the manifest of the ClusterOperator must list versions.',
  UpdatePayloadResourceForbidden: 'Grant the permission, or remove what refuses the write.',
  UpdatePayloadResourceInvalid:
    'Delete the object if it may be created again, or request the release that the cluster had before.',
  UpdatePayloadResourceTypeMissing: 'Install the definition of the kind, or look at the APIService of its group.',
  WorkloadNotAvailable: 'Look at the Pods and Events of the workload.',
  WorkloadNotProgressing: 'Look at the Pods and Events of the workload.',
};

function partsOf(failure: UpdateFailure): readonly UpdateFailure[] {
  return failure.members.length > 0 ? failure.members.flatMap(partsOf) : [failure];
}

function isAwaited({ effect }: UpdateFailure): boolean {
  return effect === 'None' || effect === 'FailAfterInterval';
}

function kindOf({ object }: UpdateFailure): string {
  return object.split('/')[0] ?? 'clusteroperator';
}

/** One entry for each object that a failure names. */
function entriesOf(failure: UpdateFailure, waits: OperatorWaits): ProgressBlocker[] {
  const { reason, message, names, object, reported } = failure;
  const next = nextSteps[reason];
  const objects = names.length > 1 ? names.map((name) => `${kindOf(failure)}/${name}`) : [object];
  return objects.map((one, index): ProgressBlocker => {
    const name = names[index] ?? '';
    const detail = reported.get(name);
    const known = detail === undefined ? message : `${message}: ${detail}`;
    const text = (next === undefined ? known : `${known}. ${next}`).slice(0, maxMessageCharacters);
    const sinceMs = waits.sinceMs(name);
    const since = sinceMs === undefined ? {} : { since: formatTimestamp(sinceMs) };
    return { object: one, reason, message: text, ...since };
  });
}

interface Level {
  total: number;
  readonly components: Set<string>;
}

/** The run levels of the release in their order, and how far each one is. */
function levelsOf({ work, doneByLevel }: WorkerStatus): readonly ProgressLevel[] {
  const levels = new Map<string, Level>();
  for (const manifest of work.payload.manifests) {
    if (omissionOf(manifest, work.choices) !== undefined) continue;
    const name = runlevelOf(manifest);
    const level = levels.get(name) ?? { total: 0, components: new Set() };
    level.total += 1;
    if (manifest.place !== undefined) level.components.add(manifest.place.component);
    levels.set(name, level);
  }
  return [...levels].slice(0, maxLevels).map(([name, { total, components }]) => ({
    level: name.slice(0, maxLevelCharacters),
    done: Math.min(total, doneByLevel.get(name) ?? 0),
    total,
    components: [...components].slice(0, maxComponents).map((one) => one.slice(0, 256)),
  }));
}

/** How far an earlier process had come with the same manifests. */
export function doneBefore(
  progress: ReleaseProgress | undefined,
  hash: string,
): Pick<WorkerStatus, 'done' | 'doneByLevel'> {
  if (progress?.versionHash !== hash || progress.state === 'Reconciling') return { done: 0, doneByLevel: new Map() };
  const { done, levels = [] } = progress;
  return { done, doneByLevel: new Map(levels.map(({ level, done: ofLevel }) => [level, ofLevel])) };
}

/** The details of a round for the status.
 *  @see docs/spec/cluster-version.md#weak-points-of-the-reference-to-beat */
export function progressOf(status: WorkerStatus, waits: OperatorWaits): ReleaseProgress {
  const { failure, state, done, total, latest, work } = status;
  const parts = failure === undefined ? [] : partsOf(failure);
  const list = (some: readonly UpdateFailure[]): ProgressBlocker[] =>
    some.flatMap((one) => entriesOf(one, waits)).slice(0, maxEntries);
  return {
    versionHash: work.payload.hash,
    state,
    level: state === 'Reconciling' ? '' : (latest?.manifest.place?.runlevel ?? ''),
    done,
    total,
    ...(state === 'Reconciling' ? {} : { levels: levelsOf(status) }),
    waitingFor: list(parts.filter(isAwaited)),
    blockers: list(parts.filter((part) => !isAwaited(part))),
  };
}
