import type { ResourceType, TypeRegistry } from '../core/index.ts';

/** Any Kubernetes object: raw JSON as well as the models of other packages. */
export interface ApiObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ApiObjectMeta | undefined;
}

/** What the client itself reads of `metadata`. */
export interface ApiObjectMeta {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** A kind: `{ apiVersion: 'apps/v1', kind: 'Deployment' }`. */
export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
}

/** One object. Without a namespace, namespaced kinds are looked for in `default`. */
export interface ObjectReference extends KindReference {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** What a request on an object or a collection goes to. */
export interface Target {
  readonly type: ResourceType;
  /** Without a query. */
  readonly path: string;
}

/** The reference of an object, or the reference that was given. */
export function referenceOf(given: ObjectReference | ApiObject): ObjectReference {
  if ('name' in given) return given;
  const { apiVersion = '', kind = '', metadata = {} } = given;
  return { apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace };
}

/** @throws Error when the server does not have the kind */
function findType(types: TypeRegistry, { apiVersion, kind }: KindReference): ResourceType {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const found = types.all().find((type) => type.group === group && type.version === version && type.kind === kind);
  if (found === undefined) throw new Error(`the server has no kind ${kind} in ${apiVersion}`);
  return found;
}

function rootOf({ group, version }: ResourceType): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

function within(type: ResourceType, namespace: string): string {
  const scope = type.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${rootOf(type)}${scope}/${type.plural}`;
}

/** Where objects of a kind are created, listed and watched; all namespaces when `namespace` is empty.
 *  @throws Error when the server does not have the kind */
export function collectionOf(types: TypeRegistry, kind: KindReference, namespace: string): Target {
  const type = findType(types, kind);
  return { type, path: within(type, namespace) };
}

/** Where one object is.
 *  @throws Error when the server does not have the kind, or the name is empty */
export function objectOf(types: TypeRegistry, reference: ObjectReference, subresource = ''): Target {
  const type = findType(types, reference);
  if (reference.name === '') throw new Error(`${reference.kind} without a name`);
  const tail = subresource === '' ? '' : `/${subresource}`;
  const path = `${within(type, reference.namespace ?? 'default')}/${encodeURIComponent(reference.name)}${tail}`;
  return { type, path };
}
