import { type Clock, errorMessage, mapLimit } from '../base/index.ts';
import { isForbidden, isNotFound, type KubeClient, NoKindMatch, type ObjectRef, refKey } from '../kube/index.ts';
import { type Health, healthLine, healthOf, mayBeUnhealthy, terminating } from './health/index.ts';
import type { InstalledChange } from './kind-watches.ts';

/** What is not well of an installation. */
export interface HealthReport {
  /** A line for each object that is not healthy, in a stable order. */
  readonly lines: readonly string[];
  /** When to requeue without a change; undefined when a change is enough. */
  readonly againAtMs: number | undefined;
}

/** An object, and what a watch has seen of it; undefined before it has seen it. */
export interface Suspect {
  readonly ref: ObjectRef;
  readonly seen: { readonly resourceVersion: string; readonly isDeleting: boolean } | undefined;
}

interface CachedHealth extends Health {
  readonly resourceVersion: string;
}

/** As whom objects are read. */
interface Reading {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
}

const parallelReads = 8;
/** No watch reports when an object becomes readable again. */
const hiddenMs = 30_000;

/** Reads the health of installed objects, each only when its version is not cached. */
export class HealthReader {
  readonly #clock: Clock;
  readonly #cached = new Map<string, CachedHealth>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  forget(key: string): void {
    this.#cached.delete(key);
  }

  async read(suspects: readonly Suspect[], reading: Reading): Promise<HealthReport> {
    const found = await mapLimit(suspects, parallelReads, async (suspect) => {
      const health = await this.#healthOf(suspect, reading);
      return health.state === 'Current' ? [] : [{ ...health, line: healthLine(suspect.ref, health) }];
    });
    const times = found.flat().flatMap(({ untilMs }) => untilMs ?? []);
    return {
      lines: found.flat().map(({ line }) => line),
      againAtMs: times.length === 0 ? undefined : Math.min(...times),
    };
  }

  async #healthOf({ ref, seen }: Suspect, reading: Reading): Promise<Health> {
    if (!mayBeUnhealthy(ref)) return seen?.isDeleting === true ? terminating : { state: 'Current', message: '' };
    return this.#cachedHealth(refKey(ref), seen?.resourceVersion) ?? (await this.#evaluate(ref, reading));
  }

  /** The cached health while it is valid for the version. */
  #cachedHealth(key: string, resourceVersion: string | undefined): Health | undefined {
    const cached = this.#cached.get(key);
    if (cached === undefined || cached.resourceVersion !== resourceVersion) return undefined;
    return cached.untilMs !== undefined && cached.untilMs <= this.#clock.now() ? undefined : cached;
  }

  async #evaluate(ref: ObjectRef, { kube, signal }: Reading): Promise<Health> {
    try {
      const object = await kube.get(ref, { signal });
      const health = healthOf(object, this.#clock.now());
      this.#cached.set(refKey(ref), { ...health, resourceVersion: object.metadata.resourceVersion ?? '' });
      return health;
    } catch (thrown) {
      const isHidden = isForbidden(thrown);
      if (!isHidden && !isNotFound(thrown) && !(thrown instanceof NoKindMatch)) throw thrown;
      this.forget(refKey(ref));
      const untilMs = isHidden ? { untilMs: this.#clock.now() + hiddenMs } : {};
      return { state: 'Unavailable', message: errorMessage(thrown), ...untilMs };
    }
  }
}

/** Status writes do not show in metadata but for the version. */
export function mayHaveChangedHealth({ before, after }: InstalledChange): boolean {
  return after !== undefined && before?.resourceVersion !== after.resourceVersion && mayBeUnhealthy(after.ref);
}
