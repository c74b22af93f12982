import type { Logger } from '../src/base/index.ts';
import type { Manager } from '../src/controller/index.ts';

interface Options {
  /** Caches are opened when a deployment waits for the first time: clusters where none does neither list nor watch these kinds. */
  readonly manager: Pick<Manager, 'cache' | 'log' | 'signal'>;
  /** Permissions have changed, perhaps those of a deployment that waits for some. Must only enqueue. */
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

/** Deployments that wait for permissions: reconciled again when any permissions have changed. */
export class PermissionWaits {
  readonly #options: Options;
  readonly #waiting = new Set<string>();
  #isWatching = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The deployment lacks permissions. */
  add(name: string): void {
    this.#waiting.add(name);
    if (this.#isWatching) return;
    this.#isWatching = true;
    for (const target of kinds) void this.#watch(target);
  }

  /** The deployment no longer waits. */
  forget(name: string): void {
    this.#waiting.delete(name);
  }

  async #watch(target: (typeof kinds)[number]): Promise<void> {
    const { manager } = this.#options;
    const cache = manager.cache({ ...target, isMetadataOnly: true });
    try {
      await cache.whenSynced;
    } catch (thrown) {
      this.#reportFailure(manager.log, target.kind, thrown);
      return;
    }
    // Something may have changed before the first list.
    this.#requeueAll();
    cache.subscribe(({ before, after }) => {
      const { resourceVersion, uid } = after?.metadata ?? {};
      if (before?.metadata.resourceVersion === resourceVersion) return;
      // Whether an account exists matters, what users write on it does not: `edit` lets them, and all that wait would be tried again.
      if (target.kind !== 'ServiceAccount' || before?.metadata.uid !== uid) this.#requeueAll();
    });
  }

  #reportFailure(log: Logger, watchedKind: string, err: unknown): void {
    if (!this.#options.manager.signal.aborted) log.warn({ err, watchedKind }, 'permissions are not watched');
  }

  #requeueAll(): void {
    for (const name of this.#waiting) this.#options.onDeployment(name);
  }
}
