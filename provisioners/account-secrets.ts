import { isJsonEqual } from '../src/base/index.ts';
import type { CacheChange, KindCache, KubeObject, ListTarget } from '../src/kube/index.ts';

/** The service account whose pull secrets are for Bundles that name none, in the system namespace. */
export const serviceAccountName = 'default';

/** Names of the Secrets in `imagePullSecrets` of that service account, as its cache has it. */
export interface AccountSecrets {
  readonly target: ListTarget;
  names(): readonly string[];
  /** Whether a change of the service account is one of the list. */
  hasChanged(change: CacheChange<KubeObject>): boolean;
}

/** Names of the pull secrets that a service account lists. */
export function secretNames(account: KubeObject): readonly string[] {
  const listed = account['imagePullSecrets'] as readonly { readonly name?: string }[] | undefined;
  return (listed ?? []).map(({ name }) => name ?? '').filter((name) => name !== '');
}

function namesOf(account: KubeObject | undefined): string[] {
  return account === undefined ? [] : [...secretNames(account)];
}

/** Reads the service account from a cache; one that does not exist has no secrets. */
export function createAccountSecrets(
  manager: { cache(target: ListTarget): KindCache },
  namespace: string,
): AccountSecrets {
  const fieldSelector = `metadata.name=${serviceAccountName}`;
  const target = { apiVersion: 'v1', kind: 'ServiceAccount', namespace, fieldSelector };
  const cache = manager.cache(target);
  return {
    target,
    names: () => namesOf(cache.get(serviceAccountName, namespace)),
    hasChanged: ({ before, after }) => !isJsonEqual(namesOf(before), namesOf(after)),
  };
}
