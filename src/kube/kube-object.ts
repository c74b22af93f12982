import type { OwnerReference } from '../api/index.ts';
import type { JsonObject, JsonValue } from '../base/index.ts';

export type { OwnerReference } from '../api/index.ts';

/** `metadata`, as far as this program reads it; everything else passes through untouched. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  /** In seconds. */
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: JsonObject[];
}

/** Any Kubernetes object as raw JSON. Objects from a cache are shared: never change one, build a new one. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: JsonValue | ObjectMeta | undefined;
}

/** Names one object; `namespace` is absent for cluster-scoped ones. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The reference to `object`. */
export function refOf(object: KubeObject): ObjectRef {
  const { name = '', namespace } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The group of `group/version`; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** The same text for all references to one object, whatever version they name: `Kind.group/namespace/name`. */
export function refKey(ref: ObjectRef): string {
  return `${ref.kind}.${groupOf(ref.apiVersion)}/${ref.namespace ?? ''}/${ref.name}`;
}

/** For messages: `ConfigMap "name" in namespace "ns"`. */
export function describeRef(ref: ObjectRef): string {
  const place = ref.namespace === undefined || ref.namespace === '' ? '' : ` in namespace "${ref.namespace}"`;
  return `${ref.kind} "${ref.name}"${place}`;
}
