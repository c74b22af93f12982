import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from './kube-object.ts';
import type { ObjectSummary } from './object-summary.ts';
import type { ResourceType } from './resource-type.ts';

export interface ClusterEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: ResourceType;
  /** In the storage version. For DELETED: the last state. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
}

export interface ObjectKey {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

export interface DeleteOptions {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Which objects of a type. */
export interface ListChoice {
  readonly namespace?: string;
  /** Only those for whose summary it is true. The others are not even parsed. */
  readonly selects?: (summary: ObjectSummary) => boolean;
  /** Only those for which it is true. The others are parsed one at a time: all of them together may need more memory than there is. */
  readonly where?: (object: KubeObject) => boolean;
}

/** The server seen from inside: what controllers, admission plug-ins and the simulation work with.
 *  Reads are synchronous and current; writes pass the same admission, validation and storage as a request of the user `as`.
 *  @throws StatusError from every write */
export interface Cluster {
  /** Storage versions of all resources, built in and custom. */
  resources(): readonly ResourceType[];
  /** Every served version of the same objects, in any group. */
  versionsOf(resource: ResourceType): readonly ResourceType[];
  resource(group: string, plural: string): ResourceType | undefined;
  resourceOfKind(group: string, kind: string): ResourceType | undefined;
  get(resource: ResourceType, key: ObjectKey): KubeObject | undefined;
  list(resource: ResourceType, options?: ListChoice): readonly KubeObject[];
  /** What `list` gives, one after another, as each is when its turn comes: for looking at very many. */
  each(resource: ResourceType, options?: ListChoice): Iterable<KubeObject>;
  /** The same, while others have their turn: users decide how many there are, and how large. */
  eachInTurns(resource: ResourceType, options?: ListChoice): AsyncIterable<KubeObject>;
  /** The turn that `eachInTurns` takes before each object: await it before each small step of other long work. */
  takeTurn(): Promise<void> | undefined;
  /** How many there are, in all namespaces by default. */
  count(resource: ResourceType, options?: Omit<ListChoice, 'where'>): number;
  /** Every write after the call, in order; called synchronously after the write is stored: enqueue, do not work in it. */
  subscribe(listener: (event: ClusterEvent) => void): Disposable;
  create(resource: ResourceType, object: KubeObject, options: WriteOptions): Promise<KubeObject>;
  /** Replaces; a resourceVersion in the object is a precondition. */
  update(resource: ResourceType, object: KubeObject, options: WriteOptions): Promise<KubeObject>;
  /** JSON merge patch. */
  patch(resource: ResourceType, key: ObjectKey, patch: JsonObject, options: WriteOptions): Promise<KubeObject>;
  delete(resource: ResourceType, key: ObjectKey, options: WriteOptions & DeleteOptions): Promise<void>;
}

export interface WriteOptions {
  /** User name: `system:serviceaccount:kube-system:generic-garbage-collector`. Also the field manager. */
  readonly as: string;
  readonly subresource?: 'status' | 'finalize' | 'binding';
}
