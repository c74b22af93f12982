import type { JsonValue } from '../../src/base/index.ts';
import type { FieldError, Schema } from '../../src/schema/index.ts';
import type { KindFacts } from './kind-facts.ts';
import type { KubeObject } from './kube-object.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** Where a kind keeps what its Scale shows: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Of a custom resource: the path of a selector in text form. */
  readonly labelSelector?: string;
}

export interface SubresourceType {
  /** `status`, `scale`, `finalize`, `eviction`, `binding`, `token`, … */
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** Kind of the body where it is not the resource's own (`autoscaling/v1 Scale`). */
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** Of `scale`, where the paths are not the usual ones. */
  readonly scale?: ScalePaths;
}

/** A column of a Table. `cell` gives what the server prints; `nowMs` is for ages. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly cell: (object: KubeObject, nowMs: number) => JsonValue;
}

/** What differs between kinds when objects are written and read. All functions are pure; `prepare…` and `applyDefaults` change the object given
 *  (which the pipeline owns), never `old`. Metadata rules that all kinds share are not here but in `object-meta.ts`. */
export interface Strategy extends KindFacts {
  /** Server-set fields: drops `status` on create, keeps the old status on update, allocates cluster IPs, adds finalizers, … */
  prepareForCreate(object: KubeObject): void;
  prepareForUpdate(object: KubeObject, old: KubeObject): void;
  /** The same for a write to `/status`: everything but status (and managedFields) comes from `old`. */
  prepareForStatusUpdate(object: KubeObject, old: KubeObject): void;
  /** The same for a part that has rules of its own; false when it has none. */
  prepareForSubresource?(name: string, object: KubeObject, old: KubeObject): boolean;
  applyDefaults(object: KubeObject): void;
  /** Of custom resources: brings a body into the form of the schema and answers with the fields that it does not know.
   *  @throws UnreadableObject for metadata of wrong types */
  decode?(object: KubeObject): string[];
  /** Schema and semantic rules. `old` is undefined on create. */
  validate(object: KubeObject, old: KubeObject | undefined, subresource: string | undefined): FieldError[];
  /** Texts for `Warning` headers that come up while `validate` looks at an object; asked right after it, also when it found errors. */
  validationWarnings?(object: KubeObject): readonly string[];
  /** Texts for `Warning` headers. */
  warnings(object: KubeObject, old: KubeObject | undefined, subresource?: string): string[];
  /** Whether this kind counts generations, and whether this write starts a new one. */
  readonly hasGeneration: boolean;
  isNewGeneration(object: KubeObject, old: KubeObject): boolean;
  /** The policy when a DELETE names none. */
  readonly defaultPropagation: 'Background' | 'Orphan';
  /** Seconds of grace that the first DELETE gives, asked for so many or none; undefined for kinds that know no grace. */
  graceSeconds(object: KubeObject, requested: number | undefined): number | undefined;
  /** Field selectors beside metadata.name and metadata.namespace. */
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
  /** Reasons why `name` may not be used; empty when it may. */
  nameProblems(name: string): string[];
}

/** Conversion that takes a request to a webhook. */
export interface AsyncConversion {
  /** Makes stored objects ready for `toServed`.
   *  @throws StatusError 500 */
  prepare(objects: readonly KubeObject[], signal: AbortSignal): Promise<void>;
  /** Instead of `toStorage`.
   *  @throws StatusError 500 */
  store(object: KubeObject, signal: AbortSignal): Promise<KubeObject>;
}

/** One served version of one resource, built in or custom. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly SubresourceType[];
  /** Shared by all versions (and groups: events) of one resource: `deployments.apps`. */
  readonly storageKey: string;
  /** Objects are stored in the version for which this is true. */
  readonly isStorageVersion: boolean;
  readonly isCustom: boolean;
  /** Of a resource whose definition is being deleted: nothing can be created any more. */
  readonly isBeingDeleted?: boolean;
  /** Of stored kinds: the version objects are stored in, for storage migration. */
  readonly storageVersionHash?: string | undefined;
  /** Text of the `Warning` header of a deprecated version. */
  readonly deprecationWarning?: string;
  /** Undefined only for kinds that keep every field unchecked. */
  readonly schema: Schema | undefined;
  readonly columns: readonly TableColumn[];
  readonly strategy: Strategy;
  /** Whether `toServed` gives every stored object as it is, so that its text can be served unread. Absent: no. */
  readonly isStoredAsServed?: boolean;
  /** From the storage version into this one (`toServed`), and back. Custom `None` conversion rewrites apiVersion only. */
  toServed(object: KubeObject): KubeObject;
  toStorage(object: KubeObject): KubeObject;
  /** Where others turn the versions into each other. Stored objects must be prepared before `toServed` is asked for them. */
  readonly conversion?: AsyncConversion;
}
