import type { CacheChange } from './cache.ts';
import type { KubeObject } from './kube-object.ts';
import { formatNamespacedName, type NamespacedName, namespacedName } from './namespaced-name.ts';

type Property = (object: KubeObject) => string | undefined;

/** Names of objects by one property of theirs. It is made when it is first asked: most labels of objects are never asked for. */
export class PropertyIndex {
  readonly #property: Property;
  readonly #objects: () => Iterable<KubeObject>;
  /** By value: the names, by their text. */
  #names: Map<string, Map<string, NamespacedName>> | undefined;

  /** Objects without the property are not in the index. */
  constructor(property: Property, objects: () => Iterable<KubeObject>) {
    this.#property = property;
    this.#objects = objects;
  }

  has(object: KubeObject, value: string): boolean {
    return this.#property(object) === value;
  }

  names(value: string): Iterable<NamespacedName> {
    if (this.#names === undefined) {
      this.#names = new Map();
      for (const object of this.#objects()) this.#add(object);
    }
    return this.#names.get(value)?.values() ?? [];
  }

  take({ before, after }: CacheChange<KubeObject>): void {
    if (before !== undefined) this.#remove(before);
    if (after !== undefined) this.#add(after);
  }

  #add(object: KubeObject): void {
    const value = this.#property(object);
    if (value === undefined || this.#names === undefined) return;
    const name = namespacedName(object);
    const names = this.#names.get(value) ?? new Map<string, NamespacedName>();
    this.#names.set(value, names.set(formatNamespacedName(name), name));
  }

  #remove(object: KubeObject): void {
    const value = this.#property(object);
    const names = value === undefined ? undefined : this.#names?.get(value);
    names?.delete(formatNamespacedName(namespacedName(object)));
    if (value !== undefined && names?.size === 0) this.#names?.delete(value);
  }
}

/** The indexes of a cache. */
export class PropertyIndexes {
  readonly inNamespace: PropertyIndex;
  readonly #objects: () => Iterable<KubeObject>;
  readonly #byLabel = new Map<string, PropertyIndex>();

  constructor(objects: () => Iterable<KubeObject>) {
    this.#objects = objects;
    this.inNamespace = new PropertyIndex(({ metadata }) => metadata.namespace ?? '', objects);
  }

  labelled(label: string): PropertyIndex {
    const known = this.#byLabel.get(label);
    if (known !== undefined) return known;
    const made = new PropertyIndex(({ metadata }) => metadata.labels?.[label], this.#objects);
    this.#byLabel.set(label, made);
    return made;
  }

  take(change: CacheChange<KubeObject>): void {
    this.inNamespace.take(change);
    for (const index of this.#byLabel.values()) index.take(change);
  }
}
