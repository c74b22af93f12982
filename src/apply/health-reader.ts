import { type Clock, errorMessage, mapLimit } from '../base/index.ts';
import { isForbidden, isNotFound, type KubeClient, NoKindMatch, type ObjectRef, refKey } from '../kube/index.ts';
import { type Health, healthLine, healthOf, mayBeUnhealthy, terminating } from './health/index.ts';

/** What is not well of an installation. */
export interface HealthReport {
  /** A line for each object that is not healthy, in a stable order. */
  readonly lines: readonly string[];
  /** When to ask again, though nothing changes; undefined when a change will tell. */
  readonly againAtMs: number | undefined;
}

/** An object, and what a watch has seen of it; undefined before it has seen it. */
export interface Suspect {
  readonly ref: ObjectRef;
  readonly seen: { readonly resourceVersion: string; readonly isDeleting: boolean } | undefined;
}

interface Judged extends Health {
  readonly resourceVersion: string;
}

/** As whom objects are read. */
interface Reading {
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
}

const parallelReads = 8;
/** No watch tells when somebody may see an object again. */
const hiddenMs = 30_000;

/** Reads the health of installed objects, each only when it is another version than the one that was judged. */
export class HealthReader {
  readonly #clock: Clock;
  readonly #judged = new Map<string, Judged>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  forget(key: string): void {
    this.#judged.delete(key);
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
    return this.#verdictOn(refKey(ref), seen?.resourceVersion) ?? (await this.#judge(ref, reading));
  }

  /** The last verdict while it holds for the version. */
  #verdictOn(key: string, resourceVersion: string | undefined): Health | undefined {
    const judged = this.#judged.get(key);
    if (judged === undefined || judged.resourceVersion !== resourceVersion) return undefined;
    return judged.untilMs !== undefined && judged.untilMs <= this.#clock.now() ? undefined : judged;
  }

  async #judge(ref: ObjectRef, { kube, signal }: Reading): Promise<Health> {
    try {
      const object = await kube.get(ref, { signal });
      const health = healthOf(object, this.#clock.now());
      this.#judged.set(refKey(ref), { ...health, resourceVersion: object.metadata.resourceVersion ?? '' });
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
