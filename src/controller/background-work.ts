import { type Clock, errorMessage, type Logger, TerminalError, TransientError, WaitingError } from '../base/index.ts';
import { backOffMs } from './work-queue.ts';
import { type Task, type WorkId, type WorkLimits, WorkSlots } from './work-slots.ts';

const ended = new Error('the work has ended');

function madeRoom(limit: number): TransientError {
  const text = `slow, and ended to make room for others: ${limit} run at a time`;
  return new TransientError('MadeRoom', text);
}

/** Why work failed, and when it is due again. */
export interface WorkFailure {
  readonly error: TransientError | TerminalError | WaitingError;
  /** Undefined: not before something changes. */
  readonly nextTryMs: number | undefined;
}

/** What this process knows about the work for an object. */
export type WorkState =
  /** It is time to start. */
  | { readonly kind: 'due' }
  /** `quietMs`: how long there is nothing to report yet, unless the work becomes slow. */
  | { readonly kind: 'running'; readonly quietMs: number }
  /** `isNew`: the state was not read since the work failed. */
  | ({ readonly kind: 'failed'; readonly isNew: boolean } & WorkFailure);

export interface BackgroundWorkOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends all work. */
  readonly signal: AbortSignal;
  readonly limits: WorkLimits;
  /** Of work that occupies a program of the system, which counts apart. Default: as `limits`. */
  readonly programs?: WorkLimits;
  /** The first and the longest pause before work that failed is due again. */
  readonly retry: { readonly firstMs: number; readonly longestMs: number };
  /** How long work is not reported, unless it becomes slow. Default 0. */
  readonly quietMs?: number;
  /** Whether an error is final until something changes. Default: each TerminalError. */
  readonly isFinal?: (error: TerminalError) => boolean;
  /** Precedes the message of an error that is a defect. */
  readonly defectPrefix?: string;
  /** Work has become slow, or has ended, with success or without. Must only enqueue. */
  readonly onChange: (name: string) => void;
  readonly onFailure?: (name: string, error: WorkFailure['error']) => void;
}

/** Whose turn work takes. */
export interface WorkPlace {
  /** Work of one group, such as the host of a source, shares a limit. */
  readonly group?: string;
  /** Whether it occupies a program of the system. */
  readonly runsProgram?: boolean;
}

interface Memory extends WorkFailure {
  readonly input: string;
  readonly failures: number;
  isNew: boolean;
}

/** Long work outside of the reconciles, such as fetching, so that a source that does not answer occupies no worker: at most one task an object, slots are
 *  counted by group, and what is slow releases its slot. Failures are remembered in this process: what is final is not due again before `restart`, the
 *  rest backs off. */
export class BackgroundWork {
  readonly #options: BackgroundWorkOptions;
  readonly #tasks = new Map<string, Task>();
  readonly #memories = new Map<string, Memory>();
  readonly #slots: WorkSlots;
  readonly #programs: WorkSlots;

  constructor(options: BackgroundWorkOptions) {
    this.#options = options;
    this.#slots = new WorkSlots(options.limits);
    this.#programs = new WorkSlots(options.programs ?? options.limits);
    options.signal.addEventListener('abort', () => {
      for (const task of this.#tasks.values()) this.#abort(task);
    });
  }

  /** What to do for the object. Work with another input is aborted. A WaitingError is returned once: the next call finds the work due. */
  stateOf({ name, input }: WorkId): WorkState {
    const task = this.#tasks.get(name);
    if (task !== undefined && task.id.input !== input) this.#abort(task);
    const running = this.#tasks.get(name);
    if (running !== undefined) return { kind: 'running', quietMs: this.#quietMsOf(running) };
    const memory = this.#memories.get(name);
    if (memory?.input !== input) return { kind: 'due' };
    const { error, nextTryMs } = memory;
    if (error instanceof WaitingError) this.#memories.delete(name);
    else if (this.#isDue(nextTryMs)) return { kind: 'due' };
    const { isNew } = memory;
    memory.isNew = false;
    return { kind: 'failed', error, nextTryMs, isNew };
  }

  /** Why the last work with this input failed; undefined when it did not. */
  failureOf({ name, input }: WorkId): WorkFailure | undefined {
    const memory = this.#memories.get(name);
    return memory?.input === input ? memory : undefined;
  }

  /** Whether the last work for the object failed, with whichever input. */
  hasFailed(name: string): boolean {
    return this.#memories.has(name);
  }

  /** Runs `work` as soon as its group has a slot. Does nothing while there is work for the object. */
  start(id: WorkId, work: Task['work'], { group = '', runsProgram = false }: WorkPlace = {}): void {
    const { signal, clock } = this.#options;
    if (signal.aborted || this.#tasks.has(id.name)) return;
    const stop = new AbortController();
    const end = Promise.withResolvers<void>();
    const slots = runsProgram ? this.#programs : this.#slots;
    const task: Task = { id, group, slots, work, stop, ended: end, sinceMs: clock.now(), state: 'queued' };
    this.#tasks.set(id.name, task);
    slots.enqueue(task);
    this.#admit();
  }

  /** Something changed that the work depends on: forgets the failure and aborts what is running, so that it starts again.
   *  False when nothing was running or remembered. */
  restart(name: string): boolean {
    const isKnown = this.#memories.delete(name);
    const task = this.#tasks.get(name);
    if (task === undefined) return isKnown;
    this.#abort(task);
    return true;
  }

  /** Forgets all failures: something that any work may depend on has changed. */
  forgetFailures(): void {
    this.#memories.clear();
  }

  /** Aborts the work for the object, waits for its end, and forgets its failure. */
  async cancel(name: string): Promise<void> {
    const task = this.#tasks.get(name);
    if (task !== undefined) {
      this.#abort(task);
      await task.ended.promise;
    }
    this.#memories.delete(name);
  }

  /** Resolves when nothing is running. */
  async whenIdle(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map((task) => task.ended.promise));
  }

  #isDue(nextTryMs: number | undefined): boolean {
    if (nextTryMs === undefined) return false;
    const leftMs = nextTryMs - this.#options.clock.now();
    // More than the longest pause is left if the clock was set back.
    return leftMs <= 0 || leftMs > this.#options.retry.longestMs;
  }

  #quietMsOf({ state, sinceMs }: Task): number {
    const { quietMs = 0, clock } = this.#options;
    const leftMs = sinceMs + quietMs - clock.now();
    return state === 'slow' || leftMs > quietMs ? 0 : Math.max(0, leftMs);
  }

  #abort(task: Task): void {
    task.stop.abort(new Error('the work starts again'));
    if (task.state !== 'queued') return;
    task.slots.drop(task);
    this.#end(task);
  }

  #admit(): void {
    for (const slots of [this.#slots, this.#programs]) {
      for (let task = slots.take(); task !== undefined; task = slots.take()) void this.#run(task);
      for (let task = slots.surplus; task !== undefined; task = slots.surplus) {
        task.stop.abort(madeRoom(slots.limits.running));
      }
    }
  }

  #watchPace(task: Task, over: AbortSignal): void {
    const { clock, onChange } = this.#options;
    const { promptMs } = task.slots.limits;
    if (promptMs === undefined) return;
    clock.sleep(promptMs, { signal: over }).then(
      () => {
        task.slots.becomeSlow(task);
        this.#admit();
        onChange(task.id.name);
      },
      () => undefined,
    );
  }

  async #run(task: Task): Promise<void> {
    const over = new AbortController();
    this.#watchPace(task, over.signal);
    try {
      await task.work(task.stop.signal);
      this.#memories.delete(task.id.name);
    } catch (thrown) {
      const { signal } = task.stop;
      if (!signal.aborted) this.#remember(task, thrown);
      else if (signal.reason instanceof TransientError) this.#remember(task, signal.reason);
    } finally {
      over.abort(ended);
      task.slots.free(task);
      this.#end(task);
    }
  }

  #remember({ id: { name, input } }: Task, thrown: unknown): void {
    const { clock, log, onFailure } = this.#options;
    const error = this.#classify(thrown);
    if (error !== thrown) log.error({ object: name, err: thrown }, 'background work failed by a defect');
    const before = this.#memories.get(name);
    const failures = (before?.input === input ? before.failures : 0) + 1;
    const nextTryMs = this.#isFinal(error) ? undefined : clock.now() + this.#pauseMs(error, failures);
    this.#memories.set(name, { input, failures, error, nextTryMs, isNew: true });
    onFailure?.(name, error);
  }

  #classify(thrown: unknown): WorkFailure['error'] {
    const isKnown =
      thrown instanceof TerminalError || thrown instanceof TransientError || thrown instanceof WaitingError;
    if (isKnown) return thrown;
    const { defectPrefix = '' } = this.#options;
    return new TransientError('Defect', `${defectPrefix}${errorMessage(thrown)}`, { cause: thrown });
  }

  #isFinal(error: WorkFailure['error']): boolean {
    return error instanceof TerminalError && (this.#options.isFinal?.(error) ?? true);
  }

  #pauseMs(error: WorkFailure['error'], failures: number): number {
    if (error instanceof WaitingError) return error.afterMs;
    const { firstMs, longestMs } = this.#options.retry;
    const backOff = backOffMs(failures, { minMs: firstMs, maxMs: longestMs });
    const requestedMs = error instanceof TransientError ? (error.retryAfterMs ?? 0) : 0;
    return Math.min(longestMs, Math.max(backOff, requestedMs));
  }

  #end(task: Task): void {
    this.#tasks.delete(task.id.name);
    task.ended.resolve();
    this.#admit();
    this.#options.onChange(task.id.name);
  }
}
