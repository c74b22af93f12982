import { type Clock, errorMessage, type Logger } from '../base/index.ts';
import type { KubeClient, ListTarget } from './client.ts';
import { isKubeError, isNotFound, NoKindMatch } from './kube-error.ts';
import type { KubeObject } from './kube-object.ts';
import { compareResourceVersions } from './resource-version.ts';
import { readWatch, type WatchEvent } from './watch.ts';

/** A change that the cache has already taken in. `before` and `after` are what `project` made of the object. */
export interface CacheChange<T> {
  readonly before: T | undefined;
  /** Absent: the object was deleted. */
  readonly after: T | undefined;
}

/** What a server holds of one kind, kept up to date by list and watch. Stale by the time a watch event takes. */
export interface ObjectCache<T> {
  /** Resolves when the first list is in.
   *  @throws NoKindMatch when the kind is not served; the cache is dead then */
  readonly whenSynced: Promise<void>;
  /** The same, but fails if the kind may not be listed, while the cache keeps trying.
   *  @throws KubeUnavailable Forbidden */
  readonly whenAnswered: () => Promise<void>;
  /** What the last list or watch failed with; undefined when there is nothing to complain of. */
  readonly lastFailure: () => unknown;
  /** False once the kind has vanished from the server or the signal ended it. */
  readonly isAlive: () => boolean;
  get(name: string, namespace?: string): T | undefined;
  /** Whether everything up to that version has been taken in: what was written by then and is not here has gone. */
  hasReached(resourceVersion: string): boolean;
  values(): readonly T[];
  /** All that `index` filed under `key`. */
  indexed(key: string): readonly T[];
  /** Called after each change, in order; must not throw and must not work: enqueue. */
  subscribe(listener: (change: CacheChange<T>) => void): Disposable;
  stop(): void;
}

export interface CacheOptions<T> {
  readonly kube: KubeClient;
  readonly target: ListTarget;
  /** What to keep of an object; keep little. */
  readonly project: (object: KubeObject) => T;
  /** Keys under which `indexed` finds it. */
  readonly index?: (object: KubeObject) => readonly string[];
  /** Called after each list: objects that were created and deleted since the last one were not reported one by one. Must only enqueue. */
  readonly onListed?: () => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

interface Entry<T> {
  readonly value: T;
  readonly keys: readonly string[];
}

const watchSeconds = 300;
const graceMs = 30_000;
const minBackOffMs = 50;
const maxBackOffMs = 30_000;

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

class Store<T> {
  readonly entries: Map<string, Entry<T>> = new Map();
  readonly #index = new Map<string, Set<string>>();
  readonly #listeners = new Set<(change: CacheChange<T>) => void>();
  readonly #options: CacheOptions<T>;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
  }

  put(object: KubeObject): void {
    const key = keyOf(object);
    const { project, index } = this.#options;
    const entry: Entry<T> = { value: project(object), keys: index?.(object) ?? [] };
    this.#replace(key, entry);
  }

  remove(key: string): void {
    if (this.entries.has(key)) this.#replace(key, undefined);
  }

  removeAllBut(keys: ReadonlySet<string>): void {
    for (const key of this.entries.keys()) if (!keys.has(key)) this.remove(key);
  }

  indexed(name: string): readonly T[] {
    const found: T[] = [];
    for (const key of this.#index.get(name) ?? []) {
      const entry = this.entries.get(key);
      if (entry !== undefined) found.push(entry.value);
    }
    return found;
  }

  subscribe(listener: (change: CacheChange<T>) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #unfile(key: string, names: readonly string[]): void {
    for (const name of names) {
      const filed = this.#index.get(name);
      filed?.delete(key);
      if (filed?.size === 0) this.#index.delete(name);
    }
  }

  #file(key: string, names: readonly string[]): void {
    for (const name of names) this.#index.set(name, (this.#index.get(name) ?? new Set()).add(key));
  }

  #replace(key: string, next: Entry<T> | undefined): void {
    const before = this.entries.get(key);
    if (before !== undefined) this.#unfile(key, before.keys);
    if (next === undefined) this.entries.delete(key);
    else {
      this.entries.set(key, next);
      this.#file(key, next.keys);
    }
    for (const listener of this.#listeners) listener({ before: before?.value, after: next?.value });
  }
}

/** Follows one kind: list, watch from there, again from the last seen version when the watch ends, list again when the
 *  server has forgotten that version. */
class Follower<T> {
  readonly #options: CacheOptions<T>;
  readonly #store: Store<T>;
  readonly #signal: AbortSignal;
  #resourceVersion: string | undefined;
  #hasProgress = false;
  #failure: unknown;

  constructor(options: CacheOptions<T>, store: Store<T>, signal: AbortSignal) {
    this.#options = options;
    this.#store = store;
    this.#signal = signal;
  }

  hasReached(resourceVersion: string): boolean {
    return (compareResourceVersions(this.#resourceVersion, resourceVersion) ?? -1) >= 0;
  }

  lastFailure(): unknown {
    return this.#failure;
  }

  async follow(onSynced: () => void, onRefused: (thrown: unknown) => void): Promise<void> {
    let failures = 0;
    while (!this.#signal.aborted) {
      try {
        this.#hasProgress = false;
        if (this.#resourceVersion === undefined) await this.#list();
        this.#failure = undefined;
        onSynced();
        await this.#watch();
        failures = 0;
      } catch (thrown) {
        if (this.#signal.aborted) return;
        this.#failure = thrown;
        if (isVanished(thrown)) {
          this.#store.removeAllBut(new Set());
          throw thrown;
        }
        if (this.#resourceVersion === undefined && isForbidden(thrown)) onRefused(thrown);
        failures = this.#hasProgress ? 1 : failures + 1;
        if (!this.#forgetWhenExpired(thrown)) await this.#backOff(thrown, failures);
      }
    }
  }

  async #list(): Promise<void> {
    const { kube, target } = this.#options;
    const listed = new Set<string>();
    let listedVersion = '';
    // A page at a time, of which only what is kept stays in memory.
    for await (const { items, resourceVersion } of kube.listPages(target, { signal: this.#signal })) {
      this.#signal.throwIfAborted();
      for (const object of items) {
        this.#store.put(object);
        listed.add(keyOf(object));
      }
      listedVersion = resourceVersion;
    }
    this.#store.removeAllBut(listed);
    this.#resourceVersion = listedVersion;
    this.#hasProgress = true;
    this.#options.onListed?.();
  }

  async #watch(): Promise<void> {
    const { kube, target } = this.#options;
    const timeoutSeconds = Math.round(watchSeconds * (1 + Math.random()));
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(timeoutSeconds * 1000 + graceMs)]);
    const resourceVersion = this.#resourceVersion ?? '';
    const body = await kube.openWatch(target, { resourceVersion, timeoutSeconds, signal });
    const startedMs = this.#options.clock.now();
    let count = 0;
    for await (const event of readWatch(body)) {
      this.#take(event);
      count++;
    }
    if (count === 0 && Math.abs(this.#options.clock.now() - startedMs) < 1000)
      throw new Error('the watch ended at once');
  }

  #take(event: WatchEvent): void {
    this.#hasProgress = true;
    const { apiVersion, kind } = this.#options.target;
    const object = { ...event.object, apiVersion, kind };
    this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
    if (event.type === 'DELETED') this.#store.remove(keyOf(object));
    else if (event.type !== 'BOOKMARK') this.#store.put(object);
  }

  #forgetWhenExpired(thrown: unknown): boolean {
    if (!isKubeError(thrown) || thrown.failure.status !== 410) return false;
    this.#resourceVersion = undefined;
    return true;
  }

  async #backOff(thrown: unknown, failures: number): Promise<void> {
    const { clock, log, target } = this.#options;
    const waitMs = Math.min(maxBackOffMs, minBackOffMs * 2 ** failures) * (0.5 + Math.random() / 2);
    if (failures > 1) log.warn({ watchedKind: target.kind, reason: errorMessage(thrown) }, 'watch interrupted');
    await clock.sleep(waitMs, { signal: this.#signal }).catch(() => undefined);
  }
}

function isForbidden(thrown: unknown): boolean {
  return isKubeError(thrown) && thrown.failure.status === 403;
}

function isVanished(thrown: unknown): boolean {
  if (thrown instanceof NoKindMatch) return true;
  return isNotFound(thrown) && isKubeError(thrown) && !thrown.failure.isStatus;
}

/** Starts to follow the objects of `target`. */
export function createCache<T>(options: CacheOptions<T>): ObjectCache<T> {
  const store = new Store(options);
  const stopper = new AbortController();
  const signal = AbortSignal.any([options.signal, stopper.signal]);
  const synced = Promise.withResolvers<void>();
  synced.promise.catch(() => undefined);
  let answered = Promise.withResolvers<void>();
  answered.promise.catch(() => undefined);
  const onRefused = (thrown: unknown): void => {
    answered.reject(thrown);
    answered = Promise.withResolvers<void>();
    answered.promise.catch(() => undefined);
  };
  const onSynced = (): void => {
    synced.resolve();
    answered.resolve();
  };
  const follower = new Follower(options, store, signal);
  let isAlive = true;
  const run = async (): Promise<void> => {
    try {
      await follower.follow(onSynced, onRefused);
      synced.reject(signal.reason);
      answered.reject(signal.reason);
    } catch (thrown) {
      synced.reject(thrown);
      answered.reject(thrown);
    } finally {
      isAlive = false;
    }
  };
  void run();
  return {
    whenSynced: synced.promise,
    whenAnswered: () => answered.promise,
    lastFailure: () => follower.lastFailure(),
    isAlive: () => isAlive,
    get: (name, namespace = '') => store.entries.get(`${namespace}/${name}`)?.value,
    hasReached: (resourceVersion) => follower.hasReached(resourceVersion),
    values: () => Array.from(store.entries.values(), ({ value }) => value),
    indexed: (key) => store.indexed(key),
    subscribe: (listener) => store.subscribe(listener),
    stop: () => {
      stopper.abort();
    },
  };
}
