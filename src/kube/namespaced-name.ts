import type { ObjectMeta } from './kube-object.ts';

/** Identifies one object of a kind; `namespace` is empty where the kind is cluster-scoped. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The key of `object` in queues and caches. */
export function namespacedName({ metadata }: { readonly metadata: ObjectMeta }): NamespacedName {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** `namespace/name`; only the name where the kind is cluster-scoped. */
export function formatNamespacedName({ namespace, name }: NamespacedName): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Reads what `formatNamespacedName` wrote: neither part can have a slash. */
export function parseNamespacedName(text: string): NamespacedName {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, Math.max(0, slash)), name: text.slice(slash + 1) };
}
