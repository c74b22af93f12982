import type { Clock } from '../../base/index.ts';
import { isKubeError, type KubeClient } from '../../kube/index.ts';

/** How long an answer is used, and after how long templates are filled again. */
export const versionLifetimeMs: number = 15 * 60_000;

/** The version of the API server, asked for when it is needed. */
export class ClusterVersion {
  readonly #kube: Pick<KubeClient, 'serverVersion'>;
  readonly #clock: Clock;
  #known: { readonly atMs: number; readonly version: string } | undefined;

  constructor(kube: Pick<KubeClient, 'serverVersion'>, clock: Clock) {
    this.#kube = kube;
    this.#clock = clock;
  }

  /** The last one that is known where the server does not answer; undefined where there is none. */
  async read(signal: AbortSignal): Promise<string | undefined> {
    const nowMs = this.#clock.now();
    if (this.#known !== undefined && Math.abs(nowMs - this.#known.atMs) < versionLifetimeMs) return this.#known.version;
    try {
      this.#known = { atMs: nowMs, version: await this.#kube.serverVersion({ signal }) };
    } catch (thrown) {
      if (!isKubeError(thrown)) throw thrown;
    }
    return this.#known?.version;
  }
}
