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
import type { SourceState } from './source.ts';

/** With what kinds are followed. */
export interface WatchDeps {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}

const retryMs = 15_000;

/** The objects of one kind as the viewer sees them. A kind that is not served is asked for again, because its definition may come. */
export class KindRows<T> implements Disposable {
  readonly #deps: WatchDeps;
  readonly #target: ListTarget;
  readonly #project: (object: KubeObject) => T;
  readonly #onChange: () => void;
  readonly #stop = new AbortController();
  #cache: ObjectCache<T>;
  #isSynced = false;

  constructor(
    deps: WatchDeps,
    target: ListTarget,
    { project, onChange }: { project: (object: KubeObject) => T; onChange: () => void },
  ) {
    this.#deps = deps;
    this.#target = target;
    this.#project = project;
    this.#onChange = onChange;
    this.#cache = this.#open();
  }

  #open(): ObjectCache<T> {
    const { kube, clock, log } = this.#deps;
    const signal = this.#stop.signal;
    const cache = createCache<T>({ kube, clock, log, signal, target: this.#target, project: this.#project });
    cache.subscribe(() => this.#onChange());
    void cache.whenSynced.then(
      () => {
        this.#isSynced = true;
        this.#onChange();
      },
      (thrown: unknown) => {
        if (!signal.aborted) void this.#reopen(thrown);
      },
    );
    return cache;
  }

  async #reopen(thrown: unknown): Promise<void> {
    this.#onChange();
    if (thrown instanceof NoKindMatch) this.#deps.kube.forgetKinds(thrown.apiVersion);
    try {
      await this.#deps.clock.sleep(retryMs, { signal: this.#stop.signal });
      this.#cache = this.#open();
    } catch {
      // It was stopped meanwhile.
    }
  }

  values(): readonly T[] {
    return this.#cache.values();
  }

  get(name: string, namespace?: string): T | undefined {
    return this.#cache.get(name, namespace);
  }

  state(): SourceState {
    // The definition of the kind was deleted.
    if (this.#isSynced && !this.#cache.isAlive() && !this.#stop.signal.aborted) {
      this.#isSynced = false;
      void this.#reopen(this.#cache.lastFailure());
    }
    const failure = this.#cache.lastFailure();
    if (failure instanceof NoKindMatch) return { state: 'absent', message: failure.message };
    if (failure !== undefined && isForbidden(failure)) return { state: 'forbidden', message: errorMessage(failure) };
    if (failure !== undefined) return { state: this.#isSynced ? 'live' : 'failed', message: errorMessage(failure) };
    return { state: this.#isSynced ? 'live' : 'loading', message: '' };
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
