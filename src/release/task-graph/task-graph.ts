import type { ReleaseManifest } from '../manifest.ts';
import { shuffleAndRotate } from './shuffle.ts';
import {
  byNumberAndComponent,
  flatten,
  type ReleaseTask,
  splitOnJobs,
  type TaskBucket,
  type TaskRun,
} from './split.ts';

/** How a release is applied: the first time, over another release, or again. */
export type ApplyMode =
  | { readonly kind: 'Initializing' }
  | { readonly kind: 'Updating' }
  | { readonly kind: 'Reconciling'; readonly attempt: number };

/** A run of tasks, and the nodes that must have finished before it starts. */
export interface TaskNode {
  readonly tasks: TaskRun;
  /** Indexes of nodes, all of them lower than that of this node. */
  readonly needs: readonly number[];
}

/** Nodes in an order in which each stands behind those that it needs. */
export interface TaskGraph {
  readonly nodes: readonly TaskNode[];
  /** How many nodes run at once. */
  readonly workers: number;
}

const workers = { Updating: 16, Reconciling: 2 } as const;

function bucketsOf(run: TaskRun, mode: ApplyMode): TaskBucket[] {
  if (mode.kind === 'Updating') return byNumberAndComponent(run);
  const buckets = flatten(run);
  return mode.kind === 'Reconciling' ? buckets.map((bucket) => shuffleAndRotate(bucket, mode.attempt)) : buckets;
}

/** Chains buckets: all nodes of one precede all nodes of the next. An empty node stands between two that both have several, so that edges stay few. */
function chain(buckets: readonly TaskBucket[]): TaskNode[] {
  const nodes: TaskNode[] = [];
  let last: number[] = [];
  for (const bucket of buckets) {
    if (last.length > 1 && bucket.length > 1) {
      nodes.push({ tasks: [], needs: last });
      last = [nodes.length - 1];
    }
    const needs = last;
    last = bucket.map((tasks) => nodes.push({ tasks, needs }) - 1);
  }
  return nodes;
}

/** The order in which the manifests of a release are applied.
 *  @see docs/spec/cluster-version.md#task-graph */
export function buildTaskGraph(manifests: readonly ReleaseManifest[], mode: ApplyMode): TaskGraph {
  const total = manifests.length;
  const tasks = manifests.map((manifest, at): ReleaseTask => ({ index: at + 1, total, manifest }));
  const nodes = chain(splitOnJobs(tasks).flatMap((run) => bucketsOf(run, mode)));
  return { nodes, workers: mode.kind === 'Initializing' ? Math.max(1, nodes.length) : workers[mode.kind] };
}
