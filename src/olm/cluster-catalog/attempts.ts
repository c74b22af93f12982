import { type Clock, errorMessage, type Logger, TerminalError, TransientError } from '../../base/index.ts';
import { backOffMs } from '../../controller/index.ts';

const firstRetryMs = 1_000;
const longestRetryMs = 5 * 60_000;

/** Why something could not be done, and when it is tried again. */
export interface AttemptFailure {
  readonly error: TransientError | TerminalError;
  /** Undefined: not before something changes. */
  readonly nextTryMs: number | undefined;
}

/** What is known of the work on an object. */
export type AttemptState = { readonly kind: 'due' | 'running' } | ({ readonly kind: 'failed' } & AttemptFailure);

interface Attempt {
  readonly key: string;
  readonly stop: AbortController;
  readonly ended: PromiseWithResolvers<void>;
}

interface Memory extends AttemptFailure {
  readonly key: string;
  readonly failures: number;
}

export interface AttemptsOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** How many at a time. */
  readonly limit: number;
  /** Whether there is no sense in another try. */
  readonly isFinal: (error: TerminalError) => boolean;
  /** Work on the object has ended, one way or another. */
  readonly onEnd: (name: string) => void;
}

function classed(thrown: unknown): AttemptFailure['error'] {
  if (thrown instanceof TerminalError || thrown instanceof TransientError) return thrown;
  return new TransientError('Defect', errorMessage(thrown), { cause: thrown });
}

/** Long work beside the reconciles, one piece an object; failures are remembered with what was wanted then. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #running = new Map<string, Attempt>();
  readonly #memories = new Map<string, Memory>();
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(options: AttemptsOptions) {
    this.#options = options;
    this.#free = options.limit;
    options.signal.addEventListener('abort', () => {
      for (const { stop } of this.#running.values()) stop.abort(new Error('stopping'));
    });
  }

  /** What to do about what `key` says is wanted of the object; work on what was wanted before is given up. */
  stateOf(name: string, key: string): AttemptState {
    const running = this.#running.get(name);
    if (running !== undefined) {
      if (running.key !== key) running.stop.abort(new Error('something else is wanted'));
      return { kind: 'running' };
    }
    const memory = this.#memories.get(name);
    if (memory === undefined || memory.key !== key) return { kind: 'due' };
    const { error, nextTryMs } = memory;
    const leftMs = (nextTryMs ?? Number.NaN) - this.#options.clock.now();
    // More than the longest pause is left where the clock was set back.
    if (leftMs <= 0 || leftMs > longestRetryMs) return { kind: 'due' };
    return { kind: 'failed', error, nextTryMs };
  }

  start(name: string, key: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#options.signal.aborted || this.#running.has(name)) return;
    const attempt: Attempt = { key, stop: new AbortController(), ended: Promise.withResolvers<void>() };
    this.#running.set(name, attempt);
    void this.#run(name, attempt, work);
  }

  /** Whether the last work on the object failed. */
  hasFailed(name: string): boolean {
    return this.#memories.has(name);
  }

  /** Forgets failures: something that they depend on has changed. */
  forgetAll(): void {
    this.#memories.clear();
  }

  /** Ends what is under way for the object, and forgets what was known of it. */
  async cancel(name: string): Promise<void> {
    const attempt = this.#running.get(name);
    attempt?.stop.abort(new Error('not wanted any more'));
    await attempt?.ended.promise;
    this.#memories.delete(name);
  }

  /** Resolves when nothing is under way. */
  async whenIdle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended.promise));
  }

  async #run(name: string, attempt: Attempt, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = attempt.stop;
    await this.#enter();
    try {
      signal.throwIfAborted();
      await work(signal);
      this.#memories.delete(name);
    } catch (thrown) {
      if (!signal.aborted) this.#remember(name, attempt.key, thrown);
    } finally {
      this.#leave();
      this.#running.delete(name);
      attempt.ended.resolve();
      this.#options.onEnd(name);
    }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }

  #remember(name: string, key: string, thrown: unknown): void {
    const { clock, log, isFinal } = this.#options;
    const error = classed(thrown);
    if (error !== thrown) log.error({ object: name, err: thrown }, 'work failed by a defect');
    const before = this.#memories.get(name);
    const failures = (before?.key === key ? before.failures : 0) + 1;
    const isOver = error instanceof TerminalError && isFinal(error);
    const wishMs = error instanceof TransientError ? (error.retryAfterMs ?? 0) : 0;
    const pauseMs = Math.max(wishMs, backOffMs(failures, { minMs: firstRetryMs, maxMs: longestRetryMs }));
    const nextTryMs = isOver ? undefined : clock.now() + Math.min(pauseMs, longestRetryMs);
    this.#memories.set(name, { key, failures, error, nextTryMs });
    log.warn({ object: name, reason: error.reason, message: error.message }, 'catalog not unpacked');
  }
}
