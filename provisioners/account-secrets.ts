import { type Clock, isJsonEqual, type Logger } from '../src/base/index.ts';
import { createCache, type KubeClient, type KubeObject } from '../src/kube/index.ts';

/** The service account whose pull secrets are for Bundles that name none, in the system namespace. */
export const serviceAccountName = 'default';

/** Names of the Secrets in `imagePullSecrets` of that service account, kept up to date. */
export interface AccountSecrets {
  readonly whenSynced: Promise<void>;
  names(): readonly string[];
  /** Called when the list has changed; must not work: enqueue. */
  subscribe(listener: () => void): Disposable;
}

interface Options {
  readonly kube: KubeClient;
  readonly systemNamespace: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Names of the pull secrets that a service account lists. */
export function secretNames(account: KubeObject): readonly string[] {
  const listed = account['imagePullSecrets'] as readonly { readonly name?: string }[] | undefined;
  return (listed ?? []).map(({ name }) => name ?? '').filter((name) => name !== '');
}

/** Follows the service account; one that is not there has no secrets. */
export function createAccountSecrets(options: Options): AccountSecrets {
  const namespace = options.systemNamespace;
  const fieldSelector = `metadata.name=${serviceAccountName}`;
  const cache = createCache<readonly string[]>({
    ...options,
    target: { apiVersion: 'v1', kind: 'ServiceAccount', namespace, fieldSelector },
    project: secretNames,
  });
  return {
    whenSynced: cache.whenSynced,
    names: () => cache.get(serviceAccountName, namespace) ?? [],
    subscribe: (listener) =>
      cache.subscribe(({ before, after }) => {
        if (!isJsonEqual([...(before ?? [])], [...(after ?? [])])) listener();
      }),
  };
}
