import type { Clock } from '../base/index.ts';
import { isKubeError, type ObjectRef, refKey } from '../kube/index.ts';
import { isCrd, isNamespace } from './kind-list.ts';
import type { Owner } from './ownership.ts';

/** An API server ends requests after a minute, unless it is configured otherwise. */
const executedWithinMs = 75_000;

interface Unanswered {
  readonly ref: ObjectRef;
  /** Undefined while an answer may still arrive. */
  endMs: number | undefined;
}

/** Writes whose answers were lost, of objects that the garbage collector does not delete with their owner: an API server may execute them after all of the
 *  owner's has been removed, and what they create would stay for good. Other objects are collected then. */
export class UnansweredWrites {
  readonly #clock: Clock;
  /** Uid of an owner → its writes. */
  readonly #byOwner = new Map<string, Set<Unanswered>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `write`, which creates or changes the object. */
  async watch<T>({ uid }: Owner, ref: ObjectRef, write: () => Promise<T>): Promise<T> {
    if (!isCrd(ref) && !isNamespace(ref)) return await write();
    const unanswered: Unanswered = { ref, endMs: undefined };
    const ofOwner = this.#byOwner.get(uid) ?? new Set();
    this.#byOwner.set(uid, ofOwner.add(unanswered));
    try {
      const answer = await write();
      this.#end(uid, unanswered);
      return answer;
    } catch (thrown) {
      if (isKubeError(thrown) && thrown.failure.status > 0) this.#end(uid, unanswered);
      else unanswered.endMs = this.#clock.now() + executedWithinMs;
      throw thrown;
    }
  }

  /** What may still be written for the owner, and for how long; undefined when nothing may. */
  pendingOf({ uid }: Owner): { readonly refs: readonly ObjectRef[]; readonly forMs: number } | undefined {
    const now = this.#clock.now();
    for (const one of this.#byOwner.get(uid) ?? []) {
      if (one.endMs === undefined) continue;
      // Not later than that, though the clock was set back.
      one.endMs = Math.min(one.endMs, now + executedWithinMs);
      if (one.endMs <= now) this.#end(uid, one);
    }
    const left = [...(this.#byOwner.get(uid) ?? [])];
    if (left.length === 0) return undefined;
    const refs = new Map(left.map(({ ref }) => [refKey(ref), ref]));
    return {
      refs: [...refs.values()],
      forMs: Math.max(...left.map(({ endMs = now + executedWithinMs }) => endMs - now)),
    };
  }

  /** Whether the object, by its key, may appear though no answer is awaited any more. */
  isLost(key: string): boolean {
    const isOf = ({ ref, endMs }: Unanswered): boolean => endMs !== undefined && refKey(ref) === key;
    return [...this.#byOwner.values()].some((ofOwner) => [...ofOwner].some(isOf));
  }

  #end(uid: string, unanswered: Unanswered): void {
    const ofOwner = this.#byOwner.get(uid);
    ofOwner?.delete(unanswered);
    if (ofOwner?.size === 0) this.#byOwner.delete(uid);
  }
}
