import { type Clock, errorMessage, type Logger } from '../../../src/base/index.ts';
import {
  createCache,
  isForbidden,
  type KubeClient,
  type KubeObject,
  type ListTarget,
  NoKindMatch,
  type ObjectCache,
} from '../../../src/kube/index.ts';
import type { Share } from '../shares.ts';
import type { SourceState } from './source.ts';

/** With what kinds are followed. */
export interface WatchDeps {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** A part of the memory for rows, of the user. */
  readonly openShare: () => Share;
}

/** What is kept of each object. */
export interface RowOptions<T> {
  readonly project: (object: KubeObject) => T;
  /** About how much memory that takes, in bytes. */
  readonly sizeOf: (value: T) => number;
  readonly onChange: () => void;
  /** More objects are not shown. Default: no limit but memory. */
  readonly maxRows?: number;
}

const retryMs = 15_000;
/** What was too much is read again after this time: it may be less then. */
const retryFullMs = 60_000;
/** Of an entry of a map with its key. */
const entryBytes = 200;

/** Memory that a text takes at most. */
export function textBytes(text: string): number {
  return 2 * text.length;
}

/** Memory that a value of JSON takes, about. */
export function jsonBytes(value: unknown): number {
  return 4 * ((JSON.stringify(value) as string | undefined) ?? '').length;
}

/** The objects of one kind as the viewer sees them. A kind that is not served is asked for again, because its definition may come. Objects that are too many, or
 *  take more memory than the user has, are not kept: the state reports it. */
export class KindRows<T> implements Disposable {
  readonly #deps: WatchDeps;
  readonly #target: ListTarget;
  readonly #options: RowOptions<T>;
  readonly #stop = new AbortController();
  #cache: ObjectCache<T> | undefined;
  #share: Share | undefined;
  #count = 0;
  #isSynced = false;
  /** Why nothing is kept; empty while everything is. */
  #excess = '';

  constructor(deps: WatchDeps, target: ListTarget, options: RowOptions<T>) {
    this.#deps = deps;
    this.#target = target;
    this.#options = options;
    this.#open();
  }

  #open(): void {
    const { kube, clock, log, openShare } = this.#deps;
    const signal = this.#stop.signal;
    const { project } = this.#options;
    this.#excess = '';
    this.#count = 0;
    this.#share?.[Symbol.dispose]();
    this.#share = openShare();
    const cache = createCache<T>({ kube, clock, log, signal, target: this.#target, project });
    this.#cache = cache;
    cache.subscribe(({ before, after }) => {
      if (this.#cache !== cache) return;
      if (this.#counts(before, after)) this.#options.onChange();
      else this.#giveUp(cache);
    });
    void cache.whenSynced.then(
      () => {
        if (this.#cache !== cache) return;
        this.#isSynced = true;
        this.#options.onChange();
      },
      (thrown: unknown) => {
        if (!signal.aborted && this.#cache === cache) void this.#reopen(thrown);
      },
    );
  }

  /** Counts a change; false where there is too much now. */
  #counts(before: T | undefined, after: T | undefined): boolean {
    const { sizeOf, maxRows = Infinity } = this.#options;
    const { kind } = this.#target;
    const [less, more] = [before, after].map((value) => (value === undefined ? 0 : entryBytes + sizeOf(value)));
    this.#count += Number(after !== undefined) - Number(before !== undefined);
    if (this.#count > maxRows)
      this.#excess = `there are more objects of kind ${kind} than the ${maxRows} that are shown`;
    else if (this.#share?.add((more ?? 0) - (less ?? 0)) === false) {
      this.#excess = `the objects of kind ${kind} take more memory than the console has for you: choose a namespace, close other pages, or use kubectl`;
    }
    return this.#excess === '';
  }

  #giveUp(cache: ObjectCache<T>): void {
    this.#cache = undefined;
    this.#isSynced = false;
    cache.stop();
    this.#share?.[Symbol.dispose]();
    const { log } = this.#deps;
    log.warn({ watchedKind: this.#target.kind, reason: this.#excess }, 'watch of the console ended');
    void this.#reopen(undefined, retryFullMs);
  }

  async #reopen(thrown: unknown, waitMs: number = retryMs): Promise<void> {
    this.#options.onChange();
    if (thrown instanceof NoKindMatch) this.#deps.kube.forgetKinds(thrown.apiVersion);
    try {
      await this.#deps.clock.sleep(waitMs, { signal: this.#stop.signal });
      this.#open();
    } catch {
      // It was stopped meanwhile.
    }
  }

  /** None once the viewer may not list them any more. */
  values(): readonly T[] {
    return this.#shownCache()?.values() ?? [];
  }

  get(name: string, namespace?: string): T | undefined {
    return this.#shownCache()?.get(name, namespace);
  }

  #shownCache(): ObjectCache<T> | undefined {
    return isForbidden(this.#cache?.lastFailure()) ? undefined : this.#cache;
  }

  state(): SourceState {
    if (this.#excess !== '') return { state: 'failed', message: this.#excess };
    const failure = this.#cache?.lastFailure();
    // The definition of the kind was deleted.
    if (this.#isSynced && this.#cache?.isAlive() === false && !this.#stop.signal.aborted) {
      this.#isSynced = false;
      void this.#reopen(failure);
    }
    if (failure === undefined) return { state: this.#isSynced ? 'live' : 'loading', message: '' };
    return { state: this.#stateOf(failure), message: errorMessage(failure) };
  }

  #stateOf(failure: unknown): SourceState['state'] {
    if (failure instanceof NoKindMatch) return 'absent';
    if (isForbidden(failure)) return 'forbidden';
    return this.#isSynced ? 'live' : 'failed';
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#cache = undefined;
    this.#share?.[Symbol.dispose]();
  }
}
