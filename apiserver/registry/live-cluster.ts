import type { JsonObject } from '../../src/base/index.ts';
import {
  type Cluster,
  type ClusterEvent,
  completeUser,
  copyJson,
  type DeleteOptions,
  type KubeObject,
  type ListChoice,
  type ObjectKey,
  type ResourceType,
  Turns,
  type TypeRegistry,
  type UserInfo,
  type WriteOptions,
} from '../core/index.ts';
import { applyMergePatch } from '../patch/index.ts';
import type { Store, StoredEntry, StoreEvent } from '../storage/index.ts';
import { ObjectSummaries } from './object-summaries.ts';
import type { ObjectWriter } from './object-writer.ts';
import { storageName, type WriteContext, type WriteTarget } from './write-context.ts';

/** What a write does in one turn, unless a step of it takes longer. */
const stepsMs = 10;
const definitions = 'customresourcedefinitions.apiextensions.k8s.io';

function eventOf(resource: ResourceType, event: StoreEvent): ClusterEvent {
  return { type: event.type, resource, object: event.entry.object, previous: event.previous?.object };
}

/** The program that a write comes from, as managedFields name it. */
function managerOf(user: string): string {
  if (user === 'system:apiserver') return 'kube-apiserver';
  if (user.startsWith('system:serviceaccount:kube-system:')) return 'kube-controller-manager';
  return user.split(':').at(-1) ?? user;
}

/** The server itself may do everything; its controllers what their roles allow. */
function internalUser(name: string): UserInfo {
  return completeUser(name, name === 'system:apiserver' ? ['system:masters'] : []);
}

/** `Cluster` over the server's own storage and write path. */
export class LiveCluster implements Cluster {
  readonly #store: Store;
  readonly #types: TypeRegistry;
  readonly #writer: ObjectWriter;
  readonly #signal: AbortSignal;
  readonly #summaries = new ObjectSummaries();
  readonly #turns = new Turns();
  /** Of their own: they do not wait for what is only looked at. */
  readonly #writeTurns = new Turns();

  constructor(parts: { store: Store; types: TypeRegistry; writer: ObjectWriter; signal: AbortSignal }) {
    this.#store = parts.store;
    this.#types = parts.types;
    this.#writer = parts.writer;
    this.#signal = parts.signal;
  }

  resources(): readonly ResourceType[] {
    return this.#types.storageTypes();
  }

  versionsOf({ storageKey }: ResourceType): readonly ResourceType[] {
    return this.#types.versionsOf(storageKey);
  }

  resource(group: string, plural: string): ResourceType | undefined {
    return this.#types.storageType(group, plural);
  }

  resourceOfKind(group: string, kind: string): ResourceType | undefined {
    return this.#types.storageTypes().find((type) => type.group === group && type.kind === kind);
  }

  get(resource: ResourceType, key: ObjectKey): KubeObject | undefined {
    return this.#store.get(resource.storageKey, storageName(resource, key.namespace, key.name))?.object;
  }

  list(resource: ResourceType, options: ListChoice = {}): readonly KubeObject[] {
    return [...this.each(resource, options)];
  }

  *each(resource: ResourceType, options: ListChoice = {}): Generator<KubeObject> {
    const { where } = options;
    for (const { object } of this.#entries(resource, options)) if (where?.(object) !== false) yield object;
  }

  async *eachInTurns(resource: ResourceType, options: ListChoice = {}): AsyncGenerator<KubeObject> {
    for (const { key } of this.#store.list(resource.storageKey, options.namespace)) {
      const turn = this.#turns.take();
      if (turn !== undefined) await turn;
      const entry = this.#current(resource, key, options);
      if (entry !== undefined && options.where?.(entry.object) !== false) yield entry.object;
    }
  }

  takeTurn(): Promise<void> | undefined {
    return this.#turns.take();
  }

  count(resource: ResourceType, options: Omit<ListChoice, 'where'> = {}): number {
    const { namespace, selects } = options;
    if (namespace === undefined && selects === undefined) return this.#store.count(resource.storageKey);
    let count = 0;
    for (const _entry of this.#entries(resource, options)) count += 1;
    return count;
  }

  /** Each as it is when its turn comes. */
  *#entries(resource: ResourceType, choice: ListChoice): Generator<StoredEntry> {
    for (const { key } of this.#store.list(resource.storageKey, choice.namespace)) {
      const entry = this.#current(resource, key, choice);
      if (entry !== undefined) yield entry;
    }
  }

  #current({ storageKey }: ResourceType, key: string, { selects }: ListChoice): StoredEntry | undefined {
    const entry = this.#store.get(storageKey, key);
    return entry !== undefined && selects?.(this.#summaries.of(entry)) !== false ? entry : undefined;
  }

  subscribe(listener: (event: ClusterEvent) => void): Disposable {
    return this.#store.subscribe(undefined, (event) => {
      const resource = this.#types.storedAs(event.entry.storageKey);
      if (resource !== undefined) listener(eventOf(resource, event));
    });
  }

  async create(resource: ResourceType, object: KubeObject, options: WriteOptions): Promise<KubeObject> {
    await this.#turnToWrite(resource);
    const namespace = object.metadata.namespace ?? '';
    const target = { type: resource, namespace, name: '', subresource: undefined };
    const result = await this.#writer.create(
      target,
      copyJson(object),
      this.#context('CreateOptions', options, resource),
    );
    return result.object;
  }

  async update(resource: ResourceType, object: KubeObject, options: WriteOptions): Promise<KubeObject> {
    await this.#turnToWrite(resource);
    const { namespace = '', name = '' } = object.metadata;
    const target = this.#target(resource, { namespace, name }, options);
    const request = { target, build: () => object, createsAbsent: false, isTracked: false, isPatch: true };
    const result = await this.#writer.update(request, this.#context('UpdateOptions', options, resource));
    return result.object;
  }

  async patch(
    resource: ResourceType,
    key: ObjectKey,
    ...[patch, options]: [patch: JsonObject, options: WriteOptions]
  ): Promise<KubeObject> {
    await this.#turnToWrite(resource);
    const build = (live: KubeObject | undefined): KubeObject =>
      applyMergePatch(live as unknown as JsonObject, patch) as unknown as KubeObject;
    const target = this.#target(resource, key, options);
    const request = { target, build, createsAbsent: false, isTracked: false, isPatch: true };
    const result = await this.#writer.update(request, this.#context('PatchOptions', options, resource));
    return result.object;
  }

  async delete(resource: ResourceType, key: ObjectKey, options: WriteOptions & DeleteOptions): Promise<void> {
    await this.#turnToWrite(resource);
    const { propagationPolicy, gracePeriodSeconds, uid, resourceVersion } = options;
    const target = this.#target(resource, key, options);
    const deletion = { propagationPolicy, gracePeriodSeconds, uid, resourceVersion };
    const context = this.#context('DeleteOptions', options, resource);
    // Webhooks may decide by it.
    const shown = propagationPolicy === undefined ? {} : { propagationPolicy };
    await this.#writer.delete(target, deletion, { ...context, options: { ...context.options, ...shown } });
  }

  /** Definitions do not wait: their kinds are served once their status is written, and few users may create any. */
  #turnToWrite({ storageKey }: ResourceType): Promise<void> | undefined {
    return storageKey === definitions ? undefined : this.#writeTurns.take();
  }

  #target(type: ResourceType, key: ObjectKey, options: WriteOptions): WriteTarget {
    return { type, namespace: type.namespaced ? key.namespace : '', name: key.name, subresource: options.subresource };
  }

  #context(kind: string, options: WriteOptions, resource: ResourceType): WriteContext {
    const manager = managerOf(options.as);
    return {
      user: internalUser(options.as),
      manager,
      dryRun: false,
      options: { kind, apiVersion: 'meta.k8s.io/v1' },
      warn: () => {},
      signal: this.#signal,
      takeTurn: this.#turnsBetweenSteps(resource),
    };
  }

  /** Between two steps of a write others have a turn when it has taken ten milliseconds: of a large object each step may take far longer. */
  #turnsBetweenSteps(resource: ResourceType): () => Promise<void> | undefined {
    let sinceMs = performance.now();
    return () => {
      if (performance.now() - sinceMs < stepsMs) return undefined;
      return this.#turnToWrite(resource)?.then(() => {
        sinceMs = performance.now();
      });
    };
  }
}
