import type { KindCache } from './kind-cache.ts';
import type { KubeObject } from './kube-object.ts';
import { formatNamespacedName, namespacedName, parseNamespacedName } from './namespaced-name.ts';

/** Finds objects of a cache by what they are about, without a search through all of them. Create it before controllers that use it start, so that
 *  it takes in each change before their watches do. */
export class CacheIndex {
  readonly #cache: KindCache;
  readonly #keysOf: (object: KubeObject) => Iterable<string>;
  readonly #filed = new Map<string, Set<string>>();

  constructor(cache: KindCache, keysOf: (object: KubeObject) => Iterable<string>) {
    this.#cache = cache;
    this.#keysOf = keysOf;
    for (const object of cache.values()) this.#file(object);
    cache.subscribe(({ before, after }) => {
      if (before !== undefined) this.#unfile(before);
      if (after !== undefined) this.#file(after);
    });
  }

  /** The objects that have the key, as the cache has them. */
  get(key: string): readonly KubeObject[] {
    return [...(this.#filed.get(key) ?? [])].flatMap((id) => {
      const { namespace, name } = parseNamespacedName(id);
      return this.#cache.get(name, namespace) ?? [];
    });
  }

  #file(object: KubeObject): void {
    const id = formatNamespacedName(namespacedName(object));
    for (const key of this.#keysOf(object)) {
      const ids = this.#filed.get(key) ?? new Set();
      this.#filed.set(key, ids.add(id));
    }
  }

  #unfile(object: KubeObject): void {
    const id = formatNamespacedName(namespacedName(object));
    for (const key of this.#keysOf(object)) {
      const ids = this.#filed.get(key);
      ids?.delete(id);
      if (ids?.size === 0) this.#filed.delete(key);
    }
  }
}

/** The key of the objects of a namespace. */
export function byNamespace({ metadata }: KubeObject): readonly string[] {
  return [metadata.namespace ?? ''];
}

/** The key of objects of one name in all namespaces. */
export function byName({ metadata }: KubeObject): readonly string[] {
  return [metadata.name ?? ''];
}
