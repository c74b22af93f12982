import type { Clock, Logger } from '../src/base/index.ts';
import { createCache, type KubeClient } from '../src/kube/index.ts';

interface Options {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Rights have changed, perhaps those of a deployment that waits for some. Must only enqueue. */
  readonly onDeployment: (name: string) => void;
}

const rbac = 'rbac.authorization.k8s.io/v1';
const kinds = [
  { apiVersion: rbac, kind: 'Role' },
  { apiVersion: rbac, kind: 'RoleBinding' },
  { apiVersion: rbac, kind: 'ClusterRole' },
  { apiVersion: rbac, kind: 'ClusterRoleBinding' },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
];

/** Remembers which deployments wait for rights, and tells them when any rights have changed. Clusters where none ever waits
 *  pay nothing for it. */
export class RightsNews {
  readonly #options: Options;
  readonly #waiting = new Set<string>();
  #isFollowing = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The deployment needs rights that are not there. */
  waits(name: string): void {
    this.#waiting.add(name);
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    for (const target of kinds) void this.#follow(target);
  }

  /** The deployment waits no more. */
  forget(name: string): void {
    this.#waiting.delete(name);
  }

  async #follow(target: (typeof kinds)[number]): Promise<void> {
    const { log } = this.#options;
    const cache = createCache({
      ...this.#options,
      target: { ...target, isMetadataOnly: true },
      project: ({ metadata }) => metadata.resourceVersion,
    });
    try {
      await cache.whenSynced;
    } catch (thrown) {
      if (!this.#options.signal.aborted) log.warn({ err: thrown, watchedKind: target.kind }, 'rights are not followed');
      return;
    }
    // Something may have changed before this was known.
    this.#tell();
    cache.subscribe(({ before, after }) => {
      if (before !== after) this.#tell();
    });
  }

  #tell(): void {
    for (const name of this.#waiting) this.#options.onDeployment(name);
  }
}
