import type { Clock } from '../base/index.ts';
import { isKubeError, type ObjectRef, refKey } from '../kube/index.ts';
import { isCrd, isNamespace } from './kind-list.ts';
import type { Owner } from './ownership.ts';

/** For how long after it was sent a write may be executed: an API server ends requests after a minute, unless it is configured otherwise. */
export const executedWithinMs = 75_000;

/** The writes of an object. */
interface Unanswered {
  readonly ref: ObjectRef;
  /** How many may still be answered. */
  running: number;
  /** Until when one without an answer may be executed. */
  lostUntilMs: number | undefined;
  /** The same for one that was sent again, and answered then. */
  repeatedUntilMs: number | undefined;
  /** The object stays without its owner: a write that is executed later would give it back to the owner, with which it is deleted. */
  isReleased: boolean;
}

/** A write; it calls `onRepeat` when it is sent again because there was no answer. */
type Write<T> = (onRepeat: () => void) => Promise<T>;

/** Whether the garbage collector leaves the object when its owner is deleted. */
function outlivesOwner({ ref }: Unanswered): boolean {
  return isCrd(ref) || isNamespace(ref);
}

/** Writes whose answers were lost. An API server may execute them after all of the owner's has been removed, or released: what they create and the garbage
 *  collector does not delete would stay for good, and what they change would be deleted although it was released. */
export class UnansweredWrites {
  readonly #clock: Clock;
  /** Uid of an owner → key of an object → its writes. */
  readonly #byOwner = new Map<string, Map<string, Unanswered>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `write`, which creates or changes the object. */
  async watch<T>({ uid }: Owner, ref: ObjectRef, write: Write<T>): Promise<T> {
    const one = this.#begin(uid, ref);
    try {
      return await write(() => {
        one.repeatedUntilMs = this.#clock.now() + executedWithinMs;
      });
    } catch (thrown) {
      const isAnswered = isKubeError(thrown) && thrown.failure.status > 0;
      if (!isAnswered) one.lostUntilMs = this.#clock.now() + executedWithinMs;
      throw thrown;
    } finally {
      one.running -= 1;
      this.#forgetExecuted(uid, one);
    }
  }

  /** The objects stay, and are not the owner's any more. */
  release({ uid }: Owner, keys: readonly string[]): void {
    for (const key of keys) {
      const one = this.#byOwner.get(uid)?.get(key);
      if (one !== undefined) one.isReleased = true;
    }
  }

  /** What may still be written for the owner and would not be right then, and for how long; undefined when nothing may. */
  pendingOf({ uid }: Owner): { readonly refs: readonly ObjectRef[]; readonly forMs: number } | undefined {
    for (const one of this.#byOwner.get(uid)?.values() ?? []) this.#forgetExecuted(uid, one);
    const left = [...(this.#byOwner.get(uid)?.values() ?? [])].flatMap((one) => {
      const forMs = this.#pendingMs(one);
      return forMs > 0 ? [{ ref: one.ref, forMs }] : [];
    });
    if (left.length === 0) return undefined;
    return { refs: left.map(({ ref }) => ref), forMs: Math.max(...left.map(({ forMs }) => forMs)) };
  }

  /** Whether the object, by its key, may appear though no answer is awaited any more. */
  isLost(key: string): boolean {
    return [...this.#byOwner.values()].some((ofOwner) => {
      const { lostUntilMs, repeatedUntilMs } = ofOwner.get(key) ?? {};
      return lostUntilMs !== undefined || repeatedUntilMs !== undefined;
    });
  }

  #begin(uid: string, ref: ObjectRef): Unanswered {
    const ofOwner = this.#byOwner.get(uid) ?? new Map<string, Unanswered>();
    this.#byOwner.set(uid, ofOwner);
    const key = refKey(ref);
    const none = { ref, running: 0, lostUntilMs: undefined, repeatedUntilMs: undefined, isReleased: false };
    const one: Unanswered = ofOwner.get(key) ?? none;
    ofOwner.set(key, one);
    one.running += 1;
    return one;
  }

  #pendingMs(one: Unanswered): number {
    if (!one.isReleased && !outlivesOwner(one)) return 0;
    if (one.running > 0) return executedWithinMs;
    const now = this.#clock.now();
    const repeatedUntilMs = one.isReleased ? one.repeatedUntilMs : undefined;
    return Math.max(one.lostUntilMs ?? now, repeatedUntilMs ?? now) - now;
  }

  /** Forgets what cannot be executed any more. */
  #forgetExecuted(uid: string, one: Unanswered): void {
    one.lostUntilMs = this.#ahead(one.lostUntilMs);
    one.repeatedUntilMs = this.#ahead(one.repeatedUntilMs);
    if (one.running > 0 || one.lostUntilMs !== undefined || one.repeatedUntilMs !== undefined) return;
    const ofOwner = this.#byOwner.get(uid);
    ofOwner?.delete(refKey(one.ref));
    if (ofOwner?.size === 0) this.#byOwner.delete(uid);
  }

  /** `untilMs`, not later than that, though the clock was set back; undefined once it is over. */
  #ahead(untilMs: number | undefined): number | undefined {
    const now = this.#clock.now();
    return untilMs === undefined || untilMs <= now ? undefined : Math.min(untilMs, now + executedWithinMs);
  }
}
