import { type Clock, errorMessage, isJsonEqual, type JsonValue, type Logger } from '../../base/index.ts';
import type { ApplyMode, ClusterChoices, ReleaseManifest, ReleaseTask } from '../../release/index.ts';
import type { ApplyContext } from '../apply/apply-task.ts';
import type { UpdateFailure } from '../failures/update-failure.ts';
import type { AcceptedPayload } from '../payload/accepted-payload.ts';
import { type Intervals, pauseAfterFailureMs, roundTimeoutMs, usualTries } from './intervals.ts';
import { type RoundResult, runRound } from './run-round.ts';

/** Changes within this time lead to one round. */
const gatherMs = 300;
/** After which a change of another writer is corrected. */
const correctionMs = 200;

/** What is to be applied. */
export interface Work {
  readonly generation: number;
  readonly payload: AcceptedPayload;
  readonly isForced: boolean;
  readonly choices: ClusterChoices;
}

/** How far the work is. A worker replaces it whenever something changes. */
export interface WorkerStatus {
  readonly work: Work;
  readonly state: ApplyMode['kind'];
  /** Rounds that succeeded for this work. */
  readonly completed: number;
  /** The highest number of manifests that were done at once since the work changed. */
  readonly done: number;
  /** The same by run level, as names of files have it. */
  readonly doneByLevel: ReadonlyMap<string, number>;
  readonly total: number;
  readonly failure: UpdateFailure | undefined;
  /** What was applied last, for instance `deployment/NAMESPACE/NAME`. */
  readonly latest: ReleaseTask | undefined;
}

export interface SyncWorkerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly intervals: Intervals;
  /** For a round; its signal ends it. */
  readonly contextFor: (work: Work, mode: ApplyMode['kind'], signal: AbortSignal) => Promise<ApplyContext>;
  /** Called whenever the status has changed. */
  readonly onChange: () => void;
  readonly signal: AbortSignal;
}

/** Empty for a manifest whose file states no level. */
export function runlevelOf({ place }: ReleaseManifest): string {
  return place?.runlevel ?? '';
}

function choicesText({ capabilities, overrides }: ClusterChoices): JsonValue {
  return [[...capabilities.enabled].toSorted(), overrides as unknown as JsonValue];
}

function isSameRelease(a: Work, b: Work): boolean {
  return a.payload.image === b.payload.image && a.payload.hash === b.payload.hash && a.isForced === b.isForced;
}

function isSameWork(a: Work, b: Work): boolean {
  return isSameRelease(a, b) && isJsonEqual(choicesText(a.choices), choicesText(b.choices));
}

/** Applies the current release round after round. One at a time; new work ends the round that is under way. */
export class SyncWorker {
  readonly #options: SyncWorkerOptions;
  #status: WorkerStatus | undefined;
  #attempt = 0;
  /** Ends the current round. */
  #round = new AbortController();
  #awakened = Promise.withResolvers<void>();
  #waitsFor: 'operators' | 'interval' | undefined;
  /** Whether an operator has changed since the current round began. */
  #hasOperatorChanged = false;
  /** The correction that is due; further changes until then are part of it. */
  #correction: Promise<void> | undefined;
  #corrections = 0;
  /** Whether an object was changed since the current round began. */
  #hasDrift = false;
  #correctedMs = Number.NEGATIVE_INFINITY;
  /** What the current round has done, by run level. */
  #roundLevels = new Map<string, number>();

  constructor(options: SyncWorkerOptions) {
    this.#options = options;
  }

  /** Undefined before the first work. */
  get status(): WorkerStatus | undefined {
    return this.#status;
  }

  /** Continues with other work, if it is. `state` counts for the first only: it comes from the history. `done` is what an earlier process had reached. */
  take(work: Work, first: Pick<WorkerStatus, 'state' | 'done' | 'doneByLevel'>): void {
    const before = this.#status;
    if (before === undefined) {
      const total = work.payload.manifests.length;
      this.#set({ work, ...first, completed: 0, total, failure: undefined, latest: undefined });
      return this.#awaken();
    }
    if (isSameWork(before.work, work)) {
      if (before.work.generation !== work.generation)
        this.#set({ ...before, work: { ...work, payload: before.work.payload } });
      return;
    }
    const isInstalling = before.state === 'Initializing';
    const isContinued = isSameRelease(before.work, work) && isInstalling;
    this.#attempt = 0;
    this.#set({
      work,
      state: isInstalling ? 'Initializing' : 'Updating',
      completed: 0,
      done: isContinued ? before.done : 0,
      doneByLevel: isContinued ? before.doneByLevel : new Map(),
      total: work.payload.manifests.length,
      failure: undefined,
      latest: undefined,
    });
    this.#round.abort(new Error('the requested release or its configuration has changed'));
    this.#awaken();
  }

  /** An operator, or another object that is waited for, has changed. During a round that fails, the next one follows at once. */
  wake(): void {
    this.#hasOperatorChanged = true;
    if (this.#waitsFor === 'operators') this.#awaken();
  }

  /** An object of the release was changed by another writer. */
  correct(): void {
    this.#hasDrift = true;
    if (this.#waitsFor === undefined || this.#correction !== undefined) return;
    const { clock, intervals, signal } = this.#options;
    // Another writer may repeat its change: each correction soon after another waits longer.
    const isRepeated = clock.now() - this.#correctedMs < intervals.minimumMs;
    this.#corrections = isRepeated ? this.#corrections + 1 : 0;
    this.#correctedMs = clock.now();
    const pauseMs = Math.min(intervals.minimumMs, correctionMs * 2 ** this.#corrections);
    const pause = clock.sleep(pauseMs, { signal }).catch(() => undefined);
    this.#correction = pause.then(() => {
      this.#correction = undefined;
      this.#awaken();
    });
  }

  /** Resolves when the signal has fired and the last round has ended. */
  async run(): Promise<void> {
    const { signal, log } = this.#options;
    while (!signal.aborted) {
      const pauseMs = this.#status === undefined ? Number.POSITIVE_INFINITY : await this.#runOnce(this.#status.work);
      log.debug({ pauseMs }, 'round done');
      await this.#pause(pauseMs);
    }
  }

  #set(status: WorkerStatus): void {
    this.#status = status;
    this.#options.onChange();
  }

  #awaken(): void {
    this.#awakened.resolve();
  }

  async #pause(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    if (this.#waitsFor === 'operators' && this.#hasOperatorChanged) this.#awaken();
    if (this.#waitsFor === 'interval' && this.#hasDrift) this.correct();
    const stop = new AbortController();
    const both = AbortSignal.any([stop.signal, signal]);
    const sleep = Number.isFinite(ms)
      ? clock.sleep(ms, { signal: both }).catch(() => undefined)
      : this.#untilStopped(both);
    await Promise.race([this.#awakened.promise, sleep]);
    stop.abort();
    if (this.#waitsFor !== undefined) await clock.sleep(gatherMs, { signal }).catch(() => undefined);
    this.#waitsFor = undefined;
    this.#awakened = Promise.withResolvers<void>();
  }

  async #untilStopped(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  /** The time until the next round. */
  async #runOnce(work: Work): Promise<number> {
    const { intervals, log } = this.#options;
    this.#round = new AbortController();
    this.#hasOperatorChanged = false;
    this.#hasDrift = false;
    let result: RoundResult;
    try {
      result = await this.#applyAll(work, this.#round.signal);
    } catch (thrown) {
      if (this.#options.signal.aborted) return 0;
      log.error({ message: errorMessage(thrown) }, 'round failed by a defect');
      this.#attempt += 1;
      return pauseAfterFailureMs(intervals, this.#attempt);
    }
    const current = this.#status;
    // Other work has come meanwhile.
    if (current === undefined || this.#round.signal.aborted) return 0;
    if (result.isComplete) return this.#succeeded(current, result);
    this.#attempt += 1;
    this.#waitsFor = 'operators';
    this.#set({ ...current, failure: result.failure ?? current.failure });
    return pauseAfterFailureMs(intervals, this.#attempt);
  }

  #succeeded(current: WorkerStatus, { done }: RoundResult): number {
    this.#attempt = current.state === 'Reconciling' ? this.#attempt + 1 : 0;
    this.#waitsFor = 'interval';
    this.#set({ ...current, state: 'Reconciling', completed: current.completed + 1, done, failure: undefined });
    return this.#options.intervals.minimumMs;
  }

  async #applyAll(work: Work, roundSignal: AbortSignal): Promise<RoundResult> {
    const { clock, intervals, contextFor, signal } = this.#options;
    const state = this.#status?.state ?? 'Updating';
    const timeout = new AbortController();
    const ended = new AbortController();
    this.#roundLevels = new Map();
    const untilTimeout = clock
      .sleep(roundTimeoutMs(intervals, state === 'Initializing'), { signal: ended.signal })
      .then(() => timeout.abort(new Error('the time of a round is over')))
      .catch(() => undefined);
    try {
      const mode: ApplyMode = state === 'Reconciling' ? { kind: state, attempt: this.#attempt } : { kind: state };
      const context = await contextFor(work, state, AbortSignal.any([roundSignal, timeout.signal, signal]));
      const { payload, choices } = work;
      const onDone = (done: number, task: ReleaseTask): void => this.#advance(work, done, task);
      const { tries = usualTries } = intervals;
      return await runRound({ manifests: payload.manifests, choices, mode, context, tries, onDone });
    } finally {
      ended.abort();
      await untilTimeout;
    }
  }

  #advance(work: Work, done: number, latest: ReleaseTask): void {
    const level = runlevelOf(latest.manifest);
    const ofLevel = (this.#roundLevels.get(level) ?? 0) + 1;
    this.#roundLevels.set(level, ofLevel);
    const current = this.#status;
    if (current?.work.payload !== work.payload) return;
    const isFurther = done > current.done;
    const isLevelFurther = ofLevel > (current.doneByLevel.get(level) ?? 0);
    if (!isFurther && !isLevelFurther) return;
    const doneByLevel = isLevelFurther ? new Map([...current.doneByLevel, [level, ofLevel]]) : current.doneByLevel;
    this.#set({ ...current, doneByLevel, ...(isFurther ? { done, latest } : {}) });
  }
}
