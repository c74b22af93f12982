import type { TaskGraph, TaskNode } from '../../release/index.ts';
import { describeTask } from '../failures/api-failure.ts';

/** What became of a graph. */
export interface GraphResult {
  /** What nodes threw, in the order in which they ended. */
  readonly errors: readonly unknown[];
  readonly completed: number;
}

function nameOf({ tasks }: TaskNode): string {
  const [first] = tasks;
  return first === undefined ? 'an empty node' : describeTask(first);
}

/** Runs each node once those that it needs have succeeded, in the order of the graph, so many at a time. A node that fails blocks only those that
 *  need it. After the signal has fired, nothing more is begun.
 *  @see docs/spec/cluster-version.md#running */
export async function runGraph(
  { nodes, workers }: TaskGraph,
  run: (node: TaskNode) => Promise<void>,
  signal: AbortSignal,
): Promise<GraphResult> {
  const errors: unknown[] = [];
  const done = new Set<number>();
  const begun = new Set<number>();
  const running = new Map<number, Promise<void>>();
  const begin = (index: number, node: TaskNode): void => {
    begun.add(index);
    const work = async (): Promise<void> => {
      try {
        await run(node);
        done.add(index);
      } catch (thrown) {
        errors.push(thrown);
      } finally {
        running.delete(index);
      }
    };
    running.set(index, work());
  };
  for (;;) {
    for (const [index, node] of nodes.entries()) {
      if (signal.aborted || running.size >= workers) break;
      if (!begun.has(index) && node.needs.every((needed) => done.has(needed))) begin(index, node);
    }
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  const left = nodes.filter((_, index) => !done.has(index));
  const [first] = left;
  if (errors.length === 0 && first !== undefined) {
    errors.push(new Error(`${left.length} incomplete task nodes, beginning with ${nameOf(first)}`));
  }
  return { errors, completed: done.size };
}
