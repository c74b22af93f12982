import { type KubeObject, refKey } from '../kube/index.ts';
import { healthLine } from './health/index.ts';
import type { HealthReport } from './health-reader.ts';
import { keyOf } from './kind-watches.ts';
import type { Owner } from './ownership.ts';
import { findHeld, type Held, type ServingContext } from './serving.ts';

interface Waiting {
  readonly objects: readonly Held[];
  /** Then they wait no longer, whatever serves them. */
  readonly untilMs: number;
}

/** Which objects of each owner wait for what serves them. Every try of an installation checks again; the time that an owner's objects have
 *  counts from the first that was held back, until `release`. */
export class HeldBack {
  readonly #deadlineMs: number;
  /** By owner's uid. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** What was held back when the owner's objects were last looked at. */
  of({ uid }: Owner): readonly Held[] {
    return this.#waiting.get(uid)?.objects ?? [];
  }

  /** The same, by the keys of the objects. */
  keysOf(owner: Owner): ReadonlySet<string> {
    return new Set(this.of(owner).map(({ ref }) => refKey(ref)));
  }

  /** Nothing waits any more; what is held back next gets the whole time. */
  release({ uid }: Owner): void {
    this.#waiting.delete(uid);
  }

  /** Those of `objects` that need not wait for what serves them among `all`; the others are held back. */
  async readyOf(
    context: ServingContext,
    objects: readonly KubeObject[],
    all: readonly KubeObject[],
  ): Promise<readonly KubeObject[]> {
    const { clock, owner } = context;
    const latestMs = clock.now() + this.#deadlineMs;
    // Not later than that, though the clock was set back.
    const untilMs = Math.min(this.#waiting.get(owner.uid)?.untilMs ?? latestMs, latestMs);
    const held = clock.now() < untilMs ? await findHeld(context, objects, all) : [];
    if (held.length === 0) return objects;
    const asked = new Set(objects.map(keyOf));
    const others = this.of(owner).filter(({ ref }) => !asked.has(refKey(ref)));
    this.#waiting.set(owner.uid, { objects: [...others, ...held], untilMs });
    const keys = this.keysOf(owner);
    return objects.filter((object) => !keys.has(keyOf(object)));
  }

  /** The report with a line for each object that waits, and with the time when it waits no longer. */
  extendReport(owner: Owner, report: HealthReport): HealthReport {
    const { objects = [], untilMs } = this.#waiting.get(owner.uid) ?? {};
    if (untilMs === undefined || objects.length === 0) return report;
    const until = `at most until ${new Date(untilMs).toISOString()}`;
    const lines = objects.map(({ ref, why }) => healthLine(ref, { state: 'InProgress', message: `${why}, ${until}` }));
    return { lines: [...report.lines, ...lines], againAtMs: Math.min(report.againAtMs ?? untilMs, untilMs) };
  }
}
