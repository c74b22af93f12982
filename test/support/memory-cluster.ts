import { randomUUID } from 'node:crypto';
import type {
  Cluster,
  ClusterEvent,
  DeleteOptions,
  ListChoice,
  ObjectKey,
  WriteOptions,
} from '../../apiserver/core/cluster.ts';
import type { KubeObject } from '../../apiserver/core/kube-object.ts';
import { summaryOf } from '../../apiserver/core/object-summary.ts';
import type { ResourceType } from '../../apiserver/core/resource-type.ts';
import { StatusError } from '../../apiserver/core/status-error.ts';
import { builtinResourceTypes } from '../../apiserver/registry/builtin-resources.ts';
import { formatTimestamp, isJsonEqual, isJsonObject, type JsonObject } from '../../src/base/index.ts';

function failure(code: number, reason: string, message: string): StatusError {
  return new StatusError({ code, reason, message });
}

function merge(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    const old = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isJsonObject(value) ? merge(isJsonObject(old) ? old : {}, value) : value;
  }
  return merged;
}

function finalizersAfterDelete({ metadata }: KubeObject, policy: DeleteOptions['propagationPolicy']): string[] {
  const kept = (metadata.finalizers ?? []).filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  if (policy === 'Orphan') return [...kept, 'orphan'];
  return policy === 'Foreground' ? [...kept, 'foregroundDeletion'] : kept;
}

function marked(resource: ResourceType, old: KubeObject, options: DeleteOptions): KubeObject {
  const object = structuredClone(old);
  object.metadata.finalizers = finalizersAfterDelete(old, options.propagationPolicy);
  object.metadata.deletionTimestamp ??= formatTimestamp(Date.now());
  object.metadata.deletionGracePeriodSeconds = resource.strategy.graceSeconds(object, options.gracePeriodSeconds) ?? 0;
  if (resource.plural === 'namespaces') {
    object.status = { ...(isJsonObject(object.status) ? object.status : {}), phase: 'Terminating' };
  }
  return object;
}

/** The `Cluster` contract over a map, for tests of controllers and admission: metadata rules, finalizers and grace, a generation
 *  for each new spec, but no admission, no schema validation and no managedFields. */
export class MemoryCluster implements Cluster {
  readonly #types: ResourceType[] = builtinResourceTypes().filter((type) => type.isStorageVersion);
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #listeners = new Set<(event: ClusterEvent) => void>();
  #named = 0;
  #version = 0;

  addType(type: ResourceType): void {
    this.#types.push(type);
  }

  removeType(type: ResourceType): void {
    this.#types.splice(this.#types.indexOf(type), 1);
  }

  /** A built-in type, by plural and group. */
  type(plural: string, group = ''): ResourceType {
    const found = this.resource(group, plural);
    if (found === undefined) throw new Error(`no type ${plural}.${group}`);
    return found;
  }

  resources(): readonly ResourceType[] {
    return this.#types;
  }

  versionsOf({ storageKey }: ResourceType): readonly ResourceType[] {
    return this.resources().filter((type) => type.storageKey === storageKey);
  }

  resource(group: string, plural: string): ResourceType | undefined {
    return this.#types.find((type) => type.group === group && type.plural === plural);
  }

  resourceOfKind(group: string, kind: string): ResourceType | undefined {
    return this.#types.find((type) => type.group === group && type.kind === kind);
  }

  get(resource: ResourceType, key: ObjectKey): KubeObject | undefined {
    return this.#table(resource).get(`${key.namespace}/${key.name}`);
  }

  list(resource: ResourceType, { namespace, selects, where }: ListChoice = {}): readonly KubeObject[] {
    const all = [...this.#table(resource).values()];
    const inside = namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
    const selected = selects === undefined ? inside : inside.filter((object) => selects(summaryOf(object)));
    return where === undefined ? selected : selected.filter(where);
  }

  each(resource: ResourceType, options?: ListChoice): Iterable<KubeObject> {
    return this.list(resource, options);
  }

  async *eachInTurns(resource: ResourceType, options?: ListChoice): AsyncGenerator<KubeObject> {
    yield* this.list(resource, options);
  }

  takeTurn(): undefined {
    return undefined;
  }

  count(resource: ResourceType, options?: ListChoice): number {
    return this.list(resource, options).length;
  }

  subscribe(listener: (event: ClusterEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Never the same twice: a server tries another one when a name is taken. */
  #suffix(): string {
    this.#named += 1;
    return this.#named.toString(36).padStart(5, '0');
  }

  async create(resource: ResourceType, given: KubeObject, _options: WriteOptions): Promise<KubeObject> {
    await Promise.resolve();
    const object = structuredClone(given);
    const { metadata } = object;
    metadata.name ??= `${metadata.generateName ?? ''}${this.#suffix()}`;
    metadata.uid = randomUUID();
    metadata.creationTimestamp = formatTimestamp(Date.now());
    if (object.spec !== undefined) metadata.generation = 1;
    resource.strategy.applyDefaults(object);
    resource.strategy.prepareForCreate(object);
    if (resource.plural === 'namespaces') object.spec = { finalizers: ['kubernetes'] };
    if (this.#table(resource).has(this.#key(object)))
      throw failure(409, 'AlreadyExists', `${this.#key(object)} exists`);
    return this.#store(resource, object, undefined);
  }

  async update(resource: ResourceType, given: KubeObject, options: WriteOptions): Promise<KubeObject> {
    await Promise.resolve();
    const old = this.#existing(resource, given);
    const object = structuredClone(given);
    const { resourceVersion } = object.metadata;
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      throw failure(409, 'Conflict', `${this.#key(object)}: stale`);
    }
    resource.strategy.applyDefaults(object);
    if (options.subresource === undefined) resource.strategy.prepareForUpdate(object, old);
    if (options.subresource === 'status') resource.strategy.prepareForStatusUpdate(object, old);
    object.metadata.uid = old.metadata.uid ?? '';
    if (old.metadata.generation !== undefined) {
      const isSame = isJsonEqual(object.spec as JsonObject, old.spec as JsonObject);
      object.metadata.generation = old.metadata.generation + (isSame ? 0 : 1);
    }
    return this.#settle(resource, object, old);
  }

  async patch(...[resource, key, patch, options]: Parameters<Cluster['patch']>): Promise<KubeObject> {
    const old = this.get(resource, key);
    if (old === undefined) throw failure(404, 'NotFound', `${key.name} not found`);
    const object = merge(old as unknown as JsonObject, patch) as unknown as KubeObject;
    return await this.update(resource, object, options);
  }

  async delete(resource: ResourceType, key: ObjectKey, options: WriteOptions & DeleteOptions): Promise<void> {
    await Promise.resolve();
    const old = this.get(resource, key);
    if (old === undefined) throw failure(404, 'NotFound', `${key.name} not found`);
    if (options.uid !== undefined && options.uid !== old.metadata.uid) throw failure(409, 'Conflict', 'another uid');
    const { resourceVersion = old.metadata.resourceVersion } = options;
    if (resourceVersion !== old.metadata.resourceVersion) throw failure(409, 'Conflict', `${key.name}: stale`);
    const object = marked(resource, old, options);
    this.#settle(resource, object, old);
  }

  #table(resource: ResourceType): Map<string, KubeObject> {
    const table = this.#objects.get(resource.storageKey) ?? new Map<string, KubeObject>();
    this.#objects.set(resource.storageKey, table);
    return table;
  }

  #key({ metadata }: KubeObject): string {
    return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  }

  #existing(resource: ResourceType, object: KubeObject): KubeObject {
    const old = this.#table(resource).get(this.#key(object));
    if (old === undefined) throw failure(404, 'NotFound', `${this.#key(object)} not found`);
    return old;
  }

  #settle(resource: ResourceType, object: KubeObject, old: KubeObject): KubeObject {
    const { finalizers = [], deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
    const spec = isJsonObject(object.spec) ? object.spec : {};
    const isHeld =
      finalizers.length > 0 ||
      deletionGracePeriodSeconds > 0 ||
      (resource.plural === 'namespaces' && Array.isArray(spec.finalizers) && spec.finalizers.length > 0);
    if (deletionTimestamp === undefined || isHeld) return this.#store(resource, object, old);
    this.#table(resource).delete(this.#key(object));
    this.#emit({ type: 'DELETED', resource, object: old, previous: old });
    return object;
  }

  #store(resource: ResourceType, object: KubeObject, previous: KubeObject | undefined): KubeObject {
    object.metadata.resourceVersion = String(++this.#version);
    this.#table(resource).set(this.#key(object), object);
    this.#emit({ type: previous === undefined ? 'ADDED' : 'MODIFIED', resource, object, previous });
    return object;
  }

  #emit(event: ClusterEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
