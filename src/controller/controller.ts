import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  type Clock,
  errorMessage,
  type Logger,
  TerminalError,
  type TracedWork,
  TransientError,
  traced,
  turnTaker,
  WaitingError,
} from '../base/index.ts';
import { formatNamespacedName, type NamespacedName, parseNamespacedName } from '../kube/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { WorkQueue } from './work-queue.ts';

export interface ReconcileContext {
  readonly signal: AbortSignal;
  /** With the names of the controller and the object, and an id of this reconcile. */
  readonly log: Logger;
}

export interface ControllerOptions {
  readonly name: string;
  readonly workers: number;
  /** Brings the requested object to its desired state; must find out everything from the current state. What it throws decides
   *  what happens next: TransientError → again after a back-off, WaitingError → again after its time, TerminalError → not
   *  before something changes, anything else → a bug, logged with its stack and retried. */
  readonly reconcile: (request: NamespacedName, context: ReconcileContext) => Promise<void>;
  /** How many fields and items the requested object has; 0 when there is none. Objects of very many do not hold up others. Default: all are alike. */
  readonly effortOf?: ((request: NamespacedName) => number) | undefined;
  /** Requests of one object within this time are one. Default: each is due at once. */
  readonly gatherMs?: number | undefined;
  /** No work begins before this resolves; at once when absent. What is enqueued meanwhile waits. */
  readonly whenAllowed?: Promise<void>;
  /** Counts every reconcile and measures the queue. */
  readonly metrics?: Metrics | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface Controller {
  /** Something about the object changed. */
  enqueue(request: NamespacedName): void;
  /** Resolves after the signal has fired and all work under way has ended. */
  readonly whenStopped: Promise<void>;
}

/** Remembers the last failure of a key, so that a repeated failure is logged once. */
class LastFailures {
  readonly #last = new Map<string, string>();
  isNew(key: string, text: string): boolean {
    if (this.#last.get(key) === text) return false;
    this.#last.set(key, text);
    return true;
  }
  forget(key: string): void {
    this.#last.delete(key);
  }
}

function logFailure(log: Logger, thrown: unknown, isNew: boolean): void {
  const message = errorMessage(thrown);
  if (thrown instanceof TransientError || thrown instanceof TerminalError) {
    const willRetry = thrown instanceof TransientError;
    log[isNew ? 'warn' : 'debug']({ reason: thrown.reason, message, willRetry }, 'reconcile failed');
    return;
  }
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  log.error({ message, stack }, 'reconcile failed by a defect');
}

/** The result label of an outcome in metrics; undefined is success. */
export function resultOf(thrown: unknown): string {
  if (thrown === undefined) return 'done';
  if (thrown instanceof WaitingError) return 'waiting';
  if (thrown instanceof TransientError) return 'transient';
  return thrown instanceof TerminalError ? 'terminal' : 'defect';
}

function showQueue(queue: WorkQueue, { metrics, name }: ControllerOptions): void {
  const labels = { controller: name };
  metrics?.readFrom(() =>
    Promise.resolve({
      longshore_queue_depth: [{ labels, value: queue.size }],
      longshore_queue_active: [{ labels, value: queue.activeCount }],
      longshore_queue_oldest_seconds: [{ labels, value: queue.oldestMs / 1000 }],
    }),
  );
}

function requeue(queue: WorkQueue, key: string, thrown: unknown): void {
  if (thrown instanceof WaitingError) {
    queue.forgetFailures(key);
    queue.addAfter(key, thrown.afterMs);
  } else if (thrown instanceof TerminalError) {
    queue.forgetFailures(key);
    queue.markFailed(key);
  } else if (thrown instanceof TransientError && thrown.retryAfterMs !== undefined) {
    queue.markFailed(key);
    queue.addAfter(key, thrown.retryAfterMs);
  } else {
    queue.addFailed(key);
  }
}

async function whenAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

async function reconcileTraced(options: ControllerOptions, key: string, context: ReconcileContext): Promise<void> {
  const what: TracedWork = { name: `reconcile ${options.name}`, attributes: { 'longshore.object': key } };
  await traced(what, async () => {
    try {
      await options.reconcile(parseNamespacedName(key), context);
    } catch (thrown) {
      what.attributes['longshore.result'] = resultOf(thrown);
      throw thrown;
    }
  });
}

/** Adds what comes within a time at the end of it, each key once. */
function gather(queue: WorkQueue, { gatherMs = 0, clock, signal }: ControllerOptions): (key: string) => void {
  if (gatherMs === 0) return (key) => queue.add(key);
  const keys = new Set<string>();
  const release = async (): Promise<void> => {
    await clock.sleep(gatherMs, { signal }).catch(() => undefined);
    const due = [...keys];
    keys.clear();
    for (const key of due) queue.add(key);
  };
  return (key) => {
    if (keys.size === 0) void release();
    keys.add(key);
  };
}

/** More at a time would not be quicker: they share one processor, also with ordinary objects. */
const mostHeavy = 2;

/** At least half of the workers are left for ordinary objects. */
function queueFor({ clock, workers, effortOf }: ControllerOptions): WorkQueue {
  const maxHeavy = Math.max(1, Math.min(mostHeavy, Math.floor(workers / 2)));
  if (effortOf === undefined) return new WorkQueue(clock);
  return new WorkQueue(clock, { effortOf: (key) => effortOf(parseNamespacedName(key)), maxHeavy });
}

/** Starts the workers of one kind. One object is never worked on twice at a time, and what one object throws stops no other. */
export function startController(options: ControllerOptions): Controller {
  const queue = queueFor(options);
  const lastFailures = new LastFailures();
  const add = gather(queue, options);
  const { signal, metrics, name: controller, clock } = options;
  showQueue(queue, options);
  const count = (startedMs: number, thrown?: unknown): void => {
    metrics?.add('longshore_reconciles_total', { controller, result: resultOf(thrown) });
    metrics?.time('longshore_reconcile_duration_seconds', { controller }, Math.max(0, clock.now() - startedMs));
  };

  const handle = async (key: string): Promise<void> => {
    const log = options.log.child({ controller, object: key, reconcileId: randomUUID().slice(0, 8) });
    const startedMs = clock.now();
    try {
      await reconcileTraced(options, key, { signal, log });
      count(startedMs);
      queue.forgetFailures(key);
      lastFailures.forget(key);
    } catch (thrown) {
      if (signal.aborted) return;
      count(startedMs, thrown);
      if (thrown instanceof WaitingError) log.debug({ reason: thrown.reason, message: thrown.message }, 'waiting');
      else logFailure(log, thrown, lastFailures.isNew(key, errorMessage(thrown)));
      requeue(queue, key, thrown);
    }
  };

  // Reconciles that wait for nothing follow each other within one turn of the event loop, however many there are.
  const takeTurn = turnTaker();
  const work = async (): Promise<void> => {
    for (let key = await queue.take(signal); key !== undefined; key = await queue.take(signal)) {
      await handle(key);
      queue.done(key);
      await takeTurn();
    }
  };

  const run = async (): Promise<void> => {
    if (options.whenAllowed !== undefined) await Promise.race([options.whenAllowed, whenAborted(signal)]);
    await Promise.all(Array.from({ length: options.workers }, work));
    queue.close();
  };

  return {
    enqueue: (request) => add(formatNamespacedName(request)),
    whenStopped: run(),
  };
}

/** One named part of a reconcile. `stop` ends it early and in order; what is thrown ends it too. */
export type Step<Subject> = (subject: Subject, context: ReconcileContext) => Promise<'stop' | undefined>;

/** Runs the steps in order until one returns `stop` or throws. */
export async function runSteps<Subject>(
  steps: readonly Step<Subject>[],
  subject: Subject,
  context: ReconcileContext,
): Promise<void> {
  for (const step of steps) {
    context.signal.throwIfAborted();
    if ((await step(subject, context)) === 'stop') return;
    context.log.debug({ step: step.name }, 'step done');
  }
}
