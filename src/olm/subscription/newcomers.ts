import type { Subscription } from '../../api/index.ts';

/** How long further Subscriptions are waited for: several that are applied together get one plan. */
const gatherMs = 200;
/** Longer than anything that is waited for; what is older need not be known. */
const maxKnownMs = 60_000;

/** When Subscriptions that have no plan yet were first seen. */
export class Newcomers {
  readonly #seenAtMs = new Map<string, number>();

  /** How long to wait for others, from the last one that is new. */
  waitMs(subscriptions: readonly Subscription[], nowMs: number): number {
    const waits = subscriptions.flatMap(({ metadata, status }) =>
      status?.installPlanRef === undefined ? [this.#firstSeen(metadata.uid ?? '', nowMs) + gatherMs - nowMs] : [],
    );
    // A clock that was set back must not hold anything up.
    return Math.min(gatherMs, Math.max(0, ...waits));
  }

  /** Forgets the oldest, which are first. */
  forgetOld(nowMs: number): void {
    for (const [uid, atMs] of this.#seenAtMs) {
      if (Math.abs(nowMs - atMs) < maxKnownMs) return;
      this.#seenAtMs.delete(uid);
    }
  }

  #firstSeen(uid: string, nowMs: number): number {
    const atMs = this.#seenAtMs.get(uid) ?? nowMs;
    this.#seenAtMs.set(uid, atMs);
    return atMs;
  }
}
