import type { KindCache } from './kind-cache.ts';
import type { KubeObject } from './kube-object.ts';
import { formatNamespacedName, type NamespacedName, namespacedName, parseNamespacedName } from './namespaced-name.ts';

/** Objects of a cache by keys that are read from each of them; kept up to date by its watch. */
export interface CacheIndex {
  /** As the cache has them now. */
  get(key: string): readonly KubeObject[];
  /** Only their names. */
  names(key: string): readonly NamespacedName[];
}

/** Indexes the objects of `cache`. An object may have any number of keys. What this process has written counts once the watch has shown it. */
export function indexCache(cache: KindCache, keysOf: (object: KubeObject) => Iterable<string>): CacheIndex {
  const filed = new Map<string, Set<string>>();
  const keysByName = new Map<string, readonly string[]>();
  const remove = (name: string): void => {
    for (const key of keysByName.get(name) ?? []) {
      const names = filed.get(key);
      names?.delete(name);
      if (names?.size === 0) filed.delete(key);
    }
    keysByName.delete(name);
  };
  const add = (object: KubeObject): void => {
    const name = formatNamespacedName(namespacedName(object));
    const keys = [...keysOf(object)];
    if (keys.length === 0) return;
    keysByName.set(name, keys);
    for (const key of keys) filed.set(key, (filed.get(key) ?? new Set()).add(name));
  };
  for (const object of cache.values()) add(object);
  cache.subscribe(({ before, after }) => {
    if (before !== undefined) remove(formatNamespacedName(namespacedName(before)));
    if (after !== undefined) add(after);
  });
  const names = (key: string): readonly NamespacedName[] => [...(filed.get(key) ?? [])].map(parseNamespacedName);
  return {
    names,
    get: (key) => names(key).flatMap(({ namespace, name }) => cache.get(name, namespace) ?? []),
  };
}
