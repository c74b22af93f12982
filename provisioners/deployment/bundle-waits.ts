import type { Clock } from '../../src/base/index.ts';

const promptMs = 10_000;

/** Records since when deployments wait for a Bundle: waiting is reported only if it takes long enough to be noticed. */
export class BundleWaits {
  readonly #clock: Clock;
  readonly #waits = new Map<string, { readonly bundleUid: string; readonly sinceMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long to report nothing yet; 0 when it is time to. The first call for a Bundle starts its time. */
  quietMs(deployment: string, bundleUid: string): number {
    let wait = this.#waits.get(deployment);
    if (wait?.bundleUid !== bundleUid) {
      wait = { bundleUid, sinceMs: this.#clock.now() };
      this.#waits.set(deployment, wait);
    }
    const leftMs = wait.sinceMs + promptMs - this.#clock.now();
    // More is left than there was if the clock was set back.
    return leftMs <= promptMs ? Math.max(0, leftMs) : 0;
  }

  /** The deployment waits no more. */
  forget(deployment: string): void {
    this.#waits.delete(deployment);
  }
}
