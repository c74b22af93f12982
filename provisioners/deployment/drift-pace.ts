import type { Clock } from '../../src/base/index.ts';
import { backOffMs } from '../../src/controller/index.ts';

/** So many repairs are made at once, for mistakes; a writer that repeats its change more often does so on purpose. */
const freeRepairs = 5;
const firstPauseMs = 1_000;
/** Drift that did not recur for so long is forgotten. */
const forgottenMs = 10 * 60_000;

interface Contest {
  readonly revision: string;
  readonly repairs: number;
  readonly lastMs: number;
  readonly dueMs: number;
}

/** Counts how often drift from an installed version was corrected, so that two writers with different intentions do not keep the
 *  API server busy: after a few repairs each next one waits longer, up to five minutes. */
export class DriftPace {
  readonly #clock: Clock;
  readonly #contests = new Map<string, Contest>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long to leave drift from the revision as it is; 0 to correct it now. */
  pauseMs(deployment: string, revision: string): number {
    const contest = this.#contests.get(deployment);
    if (contest?.revision !== revision) return 0;
    const leftMs = contest.dueMs - this.#clock.now();
    // More is left than there was if the clock was set back.
    return leftMs <= contest.dueMs - contest.lastMs ? Math.max(0, leftMs) : 0;
  }

  /** Records that drift was corrected; true when the next repair has to wait. */
  repaired(deployment: string, revision: string): boolean {
    const nowMs = this.#clock.now();
    const before = this.#contests.get(deployment);
    const isSame = before?.revision === revision && nowMs - before.lastMs < forgottenMs;
    const repairs = (isSame ? before.repairs : 0) + 1;
    const excess = repairs - freeRepairs;
    const dueMs = excess > 0 ? nowMs + backOffMs(excess, { minMs: firstPauseMs }) : nowMs;
    this.#contests.set(deployment, { revision, repairs, lastMs: nowMs, dueMs });
    return excess > 0;
  }

  /** The deployment no longer exists. */
  forget(deployment: string): void {
    this.#contests.delete(deployment);
  }
}
