import type { ResourceType } from './resource-type.ts';

/** `apps/v1`, `v1` */
export function groupVersionOf(type: { readonly group: string; readonly version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

function parseVersion(version: string): readonly [stage: number, major: number, minor: number] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}

/** Orders versions as Kubernetes prefers them: GA, beta, alpha, higher numbers first; other names last, alphabetically. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return a < b ? -1 : a > b ? 1 : 0;
    return left === undefined ? 1 : -1;
  }
  return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
}

/** The resource types served at this moment: the built-in ones and those of CustomResourceDefinitions, which come and go. */
export class TypeRegistry {
  readonly #builtin: readonly ResourceType[];
  readonly #builtinGroups: ReadonlySet<string>;
  readonly #custom = new Map<string, readonly ResourceType[]>();
  #byPath = new Map<string, ResourceType>();
  #byStorageKey = new Map<string, ResourceType>();
  #storageByName = new Map<string, ResourceType>();
  #versions = new Map<string, readonly ResourceType[]>();
  #all: readonly ResourceType[] = [];
  #storage: readonly ResourceType[] = [];
  #groupVersions = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #edition = 0;

  constructor(builtin: readonly ResourceType[]) {
    this.#builtin = builtin;
    this.#builtinGroups = new Set(builtin.map((type) => type.group));
    this.#rebuild();
  }

  /** Grows with every change of the served types. */
  get edition(): number {
    return this.#edition;
  }

  all(): readonly ResourceType[] {
    return this.#all;
  }

  builtin(): readonly ResourceType[] {
    return this.#builtin;
  }

  storageTypes(): readonly ResourceType[] {
    return this.#storage;
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.#groupVersions.has(`${group}/${version}`);
  }

  /** Whether a group is one of those built in. */
  isBuiltin(group: string): boolean {
    return this.#builtinGroups.has(group);
  }

  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  storageType(group: string, plural: string): ResourceType | undefined {
    return this.#storageByName.get(`${group}/${plural}`);
  }

  /** Every served version of the objects that are stored under a key, in any group. */
  versionsOf(storageKey: string): readonly ResourceType[] {
    return this.#versions.get(storageKey) ?? [];
  }

  /** The type whose objects are stored under a key. */
  storedAs(storageKey: string): ResourceType | undefined {
    return this.#byStorageKey.get(storageKey);
  }

  /** Serves `types` for the CustomResourceDefinition `name` in place of what it had; none removes them. */
  setCustom(name: string, types: readonly ResourceType[]): void {
    if (types.length === 0) this.#custom.delete(name);
    else this.#custom.set(name, types);
    this.#rebuild();
  }

  /** Called after every change of the served types. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  customTypes(name: string): readonly ResourceType[] {
    return this.#custom.get(name) ?? [];
  }

  #rebuild(): void {
    const custom = [...this.#custom].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, types]) => types);
    this.#all = [...this.#builtin, ...custom];
    this.#storage = this.#all.filter((type) => type.isStorageVersion);
    this.#byPath = new Map(this.#all.map((type) => [`${type.group}/${type.version}/${type.plural}`, type]));
    // Of several the first one.
    this.#storageByName = new Map(this.#storage.toReversed().map((type) => [`${type.group}/${type.plural}`, type]));
    this.#versions = Map.groupBy(this.#all, (type) => type.storageKey);
    this.#byStorageKey = new Map(this.#storage.map((type) => [type.storageKey, type]));
    this.#groupVersions = new Set(this.#all.map((type) => `${type.group}/${type.version}`));
    this.#edition += 1;
    for (const listener of this.#listeners) listener();
  }
}
