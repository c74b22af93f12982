import { LongQueue } from './long-queue.ts';

/** Identifies work: there is one at a time for each `name`. */
export interface WorkId {
  /** Of the object. */
  readonly name: string;
  /** What the work depends on, such as the uid: a failure is remembered for the same input alone. */
  readonly input: string;
}

/** How much runs at a time. */
export interface WorkLimits {
  /** Of one group, such as the host of a source, as long as they are prompt. */
  readonly perGroup: number;
  /** Of all groups together, as long as they are prompt. */
  readonly prompt: number;
  /** With those that are slow. Where more would run, a slow one of the group with the most makes room for a group with fewer. */
  readonly running: number;
  /** Work that takes longer is slow, and others may run in addition. Default: nothing is slow. */
  readonly promptMs?: number;
}

/** Work that is to run, or runs. */
export interface Task {
  readonly id: WorkId;
  /** Tasks of one group share a limit. */
  readonly group: string;
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  readonly slots: WorkSlots;
  readonly stop: AbortController;
  readonly ended: PromiseWithResolvers<void>;
  /** When it was started. */
  readonly sinceMs: number;
  state: 'queued' | 'prompt' | 'slow';
}

/** How many tasks there are of each group. */
class GroupCounts {
  readonly #counts = new Map<string, number>();
  total = 0;

  of(group: string): number {
    return this.#counts.get(group) ?? 0;
  }

  add(group: string, change: 1 | -1): void {
    this.total += change;
    const count = this.of(group) + change;
    if (count === 0) this.#counts.delete(group);
    else this.#counts.set(group, count);
  }
}

/** Which work may run: queues by group, and how many run. */
export class WorkSlots {
  readonly limits: WorkLimits;
  readonly #queues = new Map<string, LongQueue<Task>>();
  /** The oldest first. */
  readonly #running = new Set<Task>();
  readonly #runningOf = new GroupCounts();
  readonly #promptOf = new GroupCounts();

  constructor(limits: WorkLimits) {
    this.limits = limits;
  }

  enqueue(task: Task): void {
    const queue = this.#queues.get(task.group) ?? new LongQueue<Task>();
    queue.add(task);
    this.#queues.set(task.group, queue);
  }

  /** The next task that may run, counted as prompt from now on: of the group that runs the fewest; those with as many take turns. */
  take(): Task | undefined {
    const { running, prompt } = this.limits;
    if (this.#running.size >= running || this.#promptOf.total >= prompt) return undefined;
    const task = this.#queues.get(this.#nextGroup() ?? '')?.take();
    if (task === undefined) return undefined;
    this.drop(task);
    this.#running.add(task);
    this.#runningOf.add(task.group, 1);
    this.#promptOf.add(task.group, 1);
    task.state = 'prompt';
    return task;
  }

  /** A slow task that is to end so that one of another group can run; undefined while there is room, or as many are ending as could start. */
  get surplus(): Task | undefined {
    const { running, prompt } = this.limits;
    if (this.#running.size < running) return undefined;
    const ending = [...this.#running].filter(({ stop }) => stop.signal.aborted).length;
    if (ending >= Math.min(this.#queues.size, prompt - this.#promptOf.total)) return undefined;
    const waiting = this.#nextGroup();
    return waiting === undefined ? undefined : this.#slowFor(this.#runningOf.of(waiting));
  }

  /** Removes the task from its queue; its group is last in turn then. */
  drop(task: Task): void {
    const queue = this.#queues.get(task.group);
    queue?.delete(task);
    this.#queues.delete(task.group);
    if (queue !== undefined && queue.size > 0) this.#queues.set(task.group, queue);
  }

  becomeSlow(task: Task): void {
    task.state = 'slow';
    this.#promptOf.add(task.group, -1);
  }

  free(task: Task): void {
    this.#running.delete(task);
    this.#runningOf.add(task.group, -1);
    if (task.state === 'prompt') this.#promptOf.add(task.group, -1);
  }

  /** The first in turn, of those that run the fewest and may have one more. */
  #nextGroup(): string | undefined {
    let fewest = Number.POSITIVE_INFINITY;
    let found: string | undefined;
    for (const group of this.#queues.keys()) {
      const count = this.#runningOf.of(group);
      if (count >= fewest || this.#promptOf.of(group) >= this.limits.perGroup) continue;
      if (count === 0) return group;
      fewest = count;
      found = group;
    }
    return found;
  }

  /** The oldest of the group with the most, if a group with `count` should have one instead. */
  #slowFor(count: number): Task | undefined {
    // Groups with one more are as good as equal; a group with none always gets one.
    let most = count === 0 ? 0 : count + 1;
    let found: Task | undefined;
    for (const task of this.#running) {
      const own = this.#runningOf.of(task.group);
      if (task.state !== 'slow' || task.stop.signal.aborted || own <= most) continue;
      most = own;
      found = task;
    }
    return found;
  }
}
