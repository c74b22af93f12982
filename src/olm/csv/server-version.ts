import type { Clock } from '../../base/index.ts';
import { isKubeError, type KubeClient } from '../../kube/index.ts';

const freshMs = 60_000;

/** The version of the API server, read at most once a minute. */
export class ServerVersion {
  readonly #kube: Pick<KubeClient, 'serverVersion'>;
  readonly #clock: Clock;
  #known: { readonly text: string; readonly atMs: number } | undefined;

  constructor(kube: Pick<KubeClient, 'serverVersion'>, clock: Clock) {
    this.#kube = kube;
    this.#clock = clock;
  }

  /** Undefined where the API server does not answer. */
  async read(signal: AbortSignal): Promise<string | undefined> {
    const nowMs = this.#clock.now();
    if (this.#known !== undefined && Math.abs(nowMs - this.#known.atMs) < freshMs) return this.#known.text;
    try {
      this.#known = { text: await this.#kube.serverVersion({ signal }), atMs: nowMs };
      return this.#known.text;
    } catch (thrown) {
      if (isKubeError(thrown)) return undefined;
      throw thrown;
    }
  }
}
