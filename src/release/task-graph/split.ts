import type { ReleaseManifest } from '../manifest.ts';

/** A manifest in a release, counted from 1. */
export interface ReleaseTask {
  readonly index: number;
  readonly total: number;
  readonly manifest: ReleaseManifest;
}

/** Tasks that run one after another. */
export type TaskRun = readonly ReleaseTask[];

/** Runs that are independent of one another; a bucket starts when the one before it has finished. */
export type TaskBucket = readonly TaskRun[];

function isJob({ manifest }: ReleaseTask): boolean {
  return manifest.key.kind === 'Job' && manifest.key.group === 'batch';
}

/** Cuts before and behind each Job: nothing is reordered across it. */
export function splitOnJobs(tasks: readonly ReleaseTask[]): TaskRun[] {
  const runs: ReleaseTask[][] = [];
  let current: ReleaseTask[] = [];
  for (const task of tasks) {
    if (!isJob(task)) {
      current.push(task);
      continue;
    }
    if (current.length > 0) runs.push(current);
    runs.push([task]);
    current = [];
  }
  if (current.length > 0) runs.push(current);
  return runs;
}

/** Neighbours with the same text of `keyOf`; a task without one is alone. */
function neighbours(tasks: readonly ReleaseTask[], keyOf: (task: ReleaseTask) => string | undefined): ReleaseTask[][] {
  const groups: ReleaseTask[][] = [];
  let last: string | undefined;
  for (const task of tasks) {
    const key = keyOf(task);
    const group = groups.at(-1);
    if (key !== undefined && key === last && group !== undefined) group.push(task);
    else groups.push([task]);
    last = key;
  }
  return groups;
}

const runlevelOf = ({ manifest }: ReleaseTask): string | undefined => manifest.place?.runlevel;
const componentOf = ({ manifest: { place } }: ReleaseTask): string | undefined =>
  place === undefined ? undefined : `${place.runlevel} ${place.component}`;

/** For updates: a level of several components is a bucket of one run each; consecutive levels of a single component, and files without a level,
 *  form one run.
 *  @see docs/spec/cluster-version.md#building */
export function byNumberAndComponent(tasks: TaskRun): TaskBucket[] {
  if (tasks.length <= 1) return [[tasks]];
  const buckets: TaskBucket[] = [];
  let serial: ReleaseTask[] = [];
  const endSerial = (): void => {
    if (serial.length > 0) buckets.push([serial]);
    serial = [];
  };
  for (const level of neighbours(tasks, runlevelOf)) {
    const components = neighbours(level, componentOf);
    if (components.length < 2) {
      serial.push(...level);
      continue;
    }
    endSerial();
    buckets.push(components);
  }
  endSerial();
  return buckets;
}

/** For installations and reconciliation: every component of every level at once. */
export function flatten(tasks: TaskRun): TaskBucket[] {
  return tasks.length <= 1 ? [[tasks]] : [neighbours(tasks, componentOf)];
}
