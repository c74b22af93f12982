import type { Logger } from '../src/base/index.ts';
import type { Manager } from '../src/controller/index.ts';
import type { CacheChange, KubeObject } from '../src/kube/index.ts';

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

/** Whether an account exists matters, what users write on it does not: `edit` lets them, and all that wait would be tried again. */
function mayGrant(kind: string, { before, after }: CacheChange<KubeObject>): boolean {
  const { resourceVersion, uid } = after?.metadata ?? {};
  if (before?.metadata.resourceVersion === resourceVersion) return false;
  return kind !== 'ServiceAccount' || before?.metadata.uid !== uid;
}

/** Deployments that wait for permissions: reconciled again when permissions have changed where they lack some. Users write roles and bindings of their own
 *  namespaces as often as they like: what others wait for is not tried again each time. */
export class PermissionWaits {
  readonly #options: Options;
  /** And the namespaces in which each lacks permissions. */
  readonly #waiting = new Map<string, ReadonlySet<string>>();
  #isWatching = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The deployment lacks permissions in these namespaces, or in the whole cluster. */
  add(name: string, namespaces: ReadonlySet<string>): void {
    this.#waiting.set(name, namespaces);
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
    for (const name of this.#waiting.keys()) this.#options.onDeployment(name);
    cache.subscribe((change) => {
      if (mayGrant(target.kind, change)) this.#requeue((change.after ?? change.before)?.metadata.namespace ?? '');
    });
  }

  #reportFailure(log: Logger, watchedKind: string, err: unknown): void {
    if (!this.#options.manager.signal.aborted) log.warn({ err, watchedKind }, 'permissions are not watched');
  }

  /** @param changed where permissions have changed; empty: in the whole cluster */
  #requeue(changed: string): void {
    for (const [name, namespaces] of this.#waiting) {
      if (changed === '' || namespaces.has(changed)) this.#options.onDeployment(name);
    }
  }
}
