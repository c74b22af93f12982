import { type Clock, errorMessage, type Logger, WaitingError } from '../base/index.ts';
import {
  createEventRecorder,
  createKindCache,
  type EventRecorder,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ListTarget,
  type NamespacedName,
  NoKindMatch,
  namespacedName,
} from '../kube/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { type Controller, type ReconcileContext, runSteps, startController } from './controller.ts';
import type { ControllerDefinition, ReconcileRun } from './definition.ts';
import { effortFor } from './effort.ts';
import { enqueueAll, targetsOf, watchAll } from './events.ts';
import { resync } from './resync.ts';

/** Which of several processes works. */
export interface Election {
  isLeading(): boolean;
  /** Resolves to true when this process leads, to false when it stops before. */
  readonly whenLeading: Promise<boolean>;
}

export interface ManagerOptions {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: Metrics | undefined;
  /** Default: this process is the only one. */
  readonly election?: Election;
  /** Ends all work. */
  readonly signal: AbortSignal;
}

export interface AddOptions<Context> {
  readonly context: Context;
  /** Objects that are reconciled at a time. */
  readonly workers: number;
  /** In which every object is reconciled once although nothing changed. Default: never. */
  readonly resyncMs?: number;
  /** Nothing is reconciled before it resolves, if ever; `start` does not wait for it. */
  readonly whenAllowed?: Promise<void> | undefined;
  /** Runs when the caches are synced, until this process leads; aborted then, and awaited. */
  readonly whileStandby?: (signal: AbortSignal) => Promise<void>;
  /** Runs once before the first reconcile, when the caches are synced and this process leads. */
  readonly beforeWork?: () => Promise<void>;
  /** Runs after the last reconcile. */
  readonly afterWork?: () => Promise<void>;
}

/** A controller that was added. */
export interface AddedController {
  /** Requests a reconcile; `namespace` is absent for cluster-scoped kinds. Kept until the work begins. */
  enqueue(name: string, namespace?: string): void;
  /** Requests a reconcile of every object. */
  enqueueAll(): void;
}

/** What a controller does. `unavailable`: the cluster lacks its kind. */
export interface ControllerHealth {
  readonly name: string;
  readonly state: 'syncing' | 'standby' | 'running' | 'unavailable' | 'stopped';
}

/** Runs controllers in one process: they share caches, clients and Event recorders, work while the process leads, and end together. */
export interface Manager extends Omit<ManagerOptions, 'election'> {
  isLeading(): boolean;
  /** The cache of a kind, shared by all that ask for the same objects. Opened with the first call. */
  cache(target: ListTarget): KindCache;
  /** Records Events as `component`. */
  eventRecorder(component: string): EventRecorder;
  /** Adds a controller; to be called before `start`. */
  add<Context, Run extends ReconcileRun>(
    definition: ControllerDefinition<Context, Run>,
    options: AddOptions<Context>,
  ): AddedController;
  /** Starts all controllers. Resolves when each of them works, or never will.
   *  @throws NoKindMatch when the cluster lacks a kind that is not optional */
  start(): Promise<void>;
  /** Resolves when all caches are synced, after `start`. */
  readonly whenSynced: Promise<void>;
  health(): readonly ControllerHealth[];
  /** Resolves when the signal has fired and all work has ended. */
  whenStopped(): Promise<void>;
}

interface Entry {
  readonly name: string;
  /** Whether `start` waits until it works. */
  readonly isAwaited: boolean;
  health: ControllerHealth['state'];
  readonly start: (onSynced: () => void) => Promise<void>;
  readonly whenStopped: Promise<void>;
}

function abortOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

const alone: Election = { isLeading: () => true, whenLeading: Promise.resolve(true) };

function textOf(target: ListTarget): string {
  const { apiVersion, kind, namespace, labelSelector, fieldSelector, isMetadataOnly = false, projection } = target;
  return JSON.stringify([apiVersion, kind, namespace, labelSelector, fieldSelector, isMetadataOnly, projection?.name]);
}

/** Caches by what they hold. Metadata is taken from a cache of whole objects where there is one. */
function sharedCaches(options: ManagerOptions): (target: ListTarget) => KindCache {
  const caches = new Map<string, KindCache>();
  return (target) => {
    const found = caches.get(textOf({ ...target, isMetadataOnly: false })) ?? caches.get(textOf(target));
    if (found !== undefined) return found;
    const { kube, clock, log, signal } = options;
    const cache = createKindCache({ kube, clock, log, signal, target });
    caches.set(textOf(target), cache);
    return cache;
  };
}

/** Runs the steps and writes the status, whatever became of them; a status that cannot be written is the error that counts. */
async function runAndReport<Run extends ReconcileRun>(
  steps: ControllerDefinition<unknown, Run>['steps'],
  run: Run,
  context: ReconcileContext,
): Promise<void> {
  try {
    await runSteps(steps, run, context);
  } finally {
    if (!context.signal.aborted) await run.status?.flush(run, context.signal);
  }
}

async function reconcile<Run extends ReconcileRun>(
  steps: ControllerDefinition<unknown, Run>['steps'],
  run: Run,
  context: ReconcileContext,
): Promise<void> {
  const { ending } = run;
  try {
    const signal = ending === undefined ? context.signal : AbortSignal.any([context.signal, ending]);
    await runAndReport(steps, run, { ...context, signal });
  } catch (thrown) {
    ending?.throwIfAborted();
    throw thrown;
  }
  const { requeueAfterMs: afterMs } = run;
  if (afterMs !== undefined) throw new WaitingError('RequeueAfter', 'requeued', { afterMs });
}

class RunningController<Context, Run extends ReconcileRun> implements Entry, AddedController {
  readonly name: string;
  readonly isAwaited: boolean;
  readonly whenStopped: Promise<void>;
  health: ControllerHealth['state'] = 'syncing';
  readonly #manager: Manager;
  readonly #election: Election;
  readonly #definition: ControllerDefinition<Context, Run>;
  readonly #options: AddOptions<Context>;
  readonly #allowed = Promise.withResolvers<void>();
  readonly #controller: Controller;

  constructor(
    manager: Manager,
    election: Election,
    work: { readonly definition: ControllerDefinition<Context, Run>; readonly options: AddOptions<Context> },
  ) {
    const { definition, options } = work;
    this.name = definition.name;
    this.isAwaited = options.whenAllowed === undefined;
    this.#manager = manager;
    this.#election = election;
    this.#definition = definition;
    this.#options = options;
    const { clock, log, metrics, signal } = manager;
    this.#controller = startController({
      name: definition.name,
      workers: options.workers,
      gatherMs: definition.gatherMs,
      reconcile: (request, context) => this.#reconcile(request, context),
      ...(definition.read === undefined ? { effortOf: (request) => effortFor(this.#cached(request)) } : {}),
      whenAllowed: this.#allowed.promise,
      metrics,
      clock,
      log,
      signal,
    });
    this.whenStopped = this.#untilStopped();
  }

  enqueue(name: string, namespace = ''): void {
    this.#controller.enqueue({ namespace, name });
  }

  enqueueAll(): void {
    enqueueAll(this.#definition, this.#manager, (request) => this.#controller.enqueue(request));
  }

  async start(onSynced: () => void): Promise<void> {
    const { isOptional = false } = this.#definition;
    const { signal, log } = this.#manager;
    try {
      await this.#start(onSynced);
    } catch (thrown) {
      if (signal.aborted) return;
      if (!isOptional || !(thrown instanceof NoKindMatch)) throw thrown;
      this.health = 'unavailable';
      const hint = 'apply the manifests of this version, then start the process again';
      log.error({ controller: this.name, message: thrown.message, hint }, 'controller not started: no such kind');
    } finally {
      onSynced();
    }
  }

  async #start(onSynced: () => void): Promise<void> {
    const { context, beforeWork } = this.#options;
    const watches = this.#definition.watches?.(context) ?? [];
    const targets = targetsOf(
      this.#definition,
      watches.filter(({ isOptional = false }) => !isOptional),
    );
    const optional = watches
      .filter(({ isOptional = false }) => isOptional)
      .map(({ target }) => this.#untilKnown(target));
    await Promise.all([...targets.map((target) => this.#manager.cache(target).whenSynced), ...optional]);
    onSynced();
    if (!(await this.#isAllowed()) || !(await this.#mayWork())) return;
    await beforeWork?.();
    if (this.#manager.signal.aborted) return;
    const request = (key: NamespacedName): void => this.#controller.enqueue(key);
    watchAll(this.#definition, watches, { manager: this.#manager, request });
    this.enqueueAll();
    this.health = 'running';
    this.#allowed.resolve();
  }

  /** Resolves when the cache of a kind that the cluster may lack is synced, or never will be. */
  async #untilKnown(target: ListTarget): Promise<void> {
    try {
      await this.#manager.cache(target).whenSynced;
    } catch (thrown) {
      if (!(thrown instanceof NoKindMatch)) throw thrown;
      this.#manager.log.warn({ controller: this.name, message: thrown.message }, 'controller works without a kind');
    }
  }

  async #isAllowed(): Promise<boolean> {
    const { whenAllowed } = this.#options;
    if (whenAllowed === undefined) return true;
    this.health = 'standby';
    const { signal } = this.#manager;
    await Promise.race([whenAllowed, abortOf(signal)]);
    return !signal.aborted;
  }

  async #mayWork(): Promise<boolean> {
    const { whenLeading } = this.#election;
    if (this.#definition.runsOnEveryReplica === true) {
      void whenLeading.then((leads) => leads && this.enqueueAll());
      return true;
    }
    if (this.#election.isLeading()) return await whenLeading;
    this.health = 'standby';
    const standby = new AbortController();
    const signal = AbortSignal.any([standby.signal, this.#manager.signal]);
    const waiting = this.#options.whileStandby?.(signal);
    // It may fail long before it is awaited.
    waiting?.catch(() => undefined);
    const mayWork = await whenLeading;
    standby.abort();
    await waiting;
    return mayWork;
  }

  #cached({ namespace, name }: NamespacedName): KubeObject | undefined {
    return this.#manager.cache(this.#definition.for).get(name, namespace);
  }

  async #reconcile(request: NamespacedName, reconciling: ReconcileContext): Promise<void> {
    const { context } = this.#options;
    const { read, forget, begin, steps } = this.#definition;
    const object = read === undefined ? this.#cached(request) : await read(context, request, reconciling.signal);
    if (object === undefined) return await forget?.(context, request);
    const run = await begin(context, object);
    if (run !== undefined) await reconcile(steps, run, reconciling);
  }

  async #resync(): Promise<void> {
    const { resyncMs: everyMs } = this.#options;
    if (everyMs === undefined) return;
    const { clock, signal } = this.#manager;
    const requests = (): NamespacedName[] => this.#manager.cache(this.#definition.for).values().map(namespacedName);
    await resync({ everyMs, clock, signal, requests, enqueue: (request) => this.#controller.enqueue(request) });
  }

  async #untilStopped(): Promise<void> {
    await Promise.all([this.#controller.whenStopped, this.#resync()]);
    this.health = 'stopped';
    await this.#options.afterWork?.();
  }
}

/** Creates a manager without controllers; nothing is read before a cache is requested. */
export function createManager(options: ManagerOptions): Manager {
  const { election = alone, ...runtime } = options;
  const entries: Entry[] = [];
  const recorders = new Map<string, EventRecorder>();
  const synced = Promise.withResolvers<void>();
  const manager: Manager = {
    ...runtime,
    isLeading: () => election.isLeading(),
    cache: sharedCaches(options),
    eventRecorder: (component) => {
      const recorder = recorders.get(component) ?? createEventRecorder({ ...runtime, component });
      recorders.set(component, recorder);
      return recorder;
    },
    add: (definition, addOptions) => {
      const added = new RunningController(manager, election, { definition, options: addOptions });
      entries.push(added);
      return added;
    },
    start: async () => {
      const remaining = new Set(entries);
      const starting = entries.map(async (entry) => {
        const started = entry.start(() => {
          remaining.delete(entry);
          if (remaining.size === 0) synced.resolve();
        });
        if (entry.isAwaited) return await started;
        started.catch((thrown: unknown) => {
          options.log.error({ controller: entry.name, message: errorMessage(thrown) }, 'controller not started');
        });
      });
      await Promise.all(starting);
    },
    whenSynced: synced.promise,
    health: () => entries.map(({ name, health: state }) => ({ name, state })),
    whenStopped: async () => {
      const ended = await Promise.allSettled(entries.map(({ whenStopped }) => whenStopped));
      for (const end of ended) {
        if (end.status === 'rejected')
          options.log.error({ message: errorMessage(end.reason) }, 'controller not drained');
      }
    },
  };
  return manager;
}
