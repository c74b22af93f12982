import {
  formatNamespacedName,
  type KindCache,
  type KubeObject,
  type NamespacedName,
  namespacedName,
} from '../../kube/index.ts';

/** All CatalogSources by namespace, and why those cannot be read that cannot. */
export class SourceDirectory {
  readonly #namespaces = new Map<string, Map<string, KubeObject>>();
  /** By uid. */
  readonly #problems = new Map<string, string>();
  /** What listeners were notified of last, by `NAMESPACE/NAME`. */
  readonly #notified = new Map<string, string>();
  readonly #listeners = new Set<(source: NamespacedName) => void>();

  /** Takes in all that is cached, and every change from now on. */
  follow(cache: Pick<KindCache, 'values' | 'subscribe'>): void {
    for (const object of cache.values()) this.#put(object);
    cache.subscribe(({ before, after }) => {
      if (after !== undefined) this.#put(after);
      else if (before !== undefined) this.#drop(before);
    });
  }

  /** Those of a namespace, by name. */
  in(namespace: string): readonly KubeObject[] {
    const found = this.#namespaces.get(namespace);
    return found === undefined ? [] : [...found.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  /** Those of all namespaces, by namespace and name. */
  all(): readonly KubeObject[] {
    return [...this.#namespaces.keys()].toSorted().flatMap((namespace) => this.in(namespace));
  }

  find({ namespace, name }: NamespacedName): KubeObject | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** Why it cannot be read; undefined as long as nothing is known against it. */
  problemOf(uid: string): string | undefined {
    return this.#problems.get(uid);
  }

  /** Notes what can be read now, and notifies listeners if it changed. `state` is compared with the one before. */
  note(object: KubeObject, { problem, state }: { readonly problem: string | undefined; readonly state: string }): void {
    const uid = object.metadata.uid ?? '';
    if (problem === undefined) this.#problems.delete(uid);
    else this.#problems.set(uid, problem);
    this.#notifyOfChange(namespacedName(object), `${uid} ${problem ?? ''} ${state}`);
  }

  /** Forgets a source that does not exist any more. */
  forget(source: NamespacedName, uid: string | undefined): void {
    this.#problems.delete(uid ?? '');
    const key = formatNamespacedName(source);
    if (!this.#notified.delete(key)) return;
    this.#notify(source);
  }

  /** Called with a source that was added, changed or removed; must only enqueue. */
  subscribe(listener: (source: NamespacedName) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  #notifyOfChange(source: NamespacedName, text: string): void {
    const key = formatNamespacedName(source);
    if (this.#notified.get(key) === text) return;
    this.#notified.set(key, text);
    this.#notify(source);
  }

  #notify(source: NamespacedName): void {
    for (const listener of this.#listeners) listener(source);
  }

  #put(object: KubeObject): void {
    const { namespace, name } = namespacedName(object);
    const names = this.#namespaces.get(namespace) ?? new Map<string, KubeObject>();
    this.#namespaces.set(namespace, names.set(name, object));
  }

  #drop(object: KubeObject): void {
    const { namespace, name } = namespacedName(object);
    const names = this.#namespaces.get(namespace);
    names?.delete(name);
    if (names?.size === 0) this.#namespaces.delete(namespace);
  }
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}
