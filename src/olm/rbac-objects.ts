import { olmFieldManager, olmLabels } from '../api/index.ts';
import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, TransientError } from '../base/index.ts';
import {
  isAlreadyExists,
  isNotFound,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ListTarget,
  refOf,
} from '../kube/index.ts';

const rbac = 'rbac.authorization.k8s.io/v1';

type RbacKind = 'roles' | 'roleBindings' | 'clusterRoles' | 'clusterRoleBindings';

/** All roles and bindings of the cluster, as caches list them. */
export const rbacTargets: Readonly<Record<RbacKind, ListTarget>> = {
  roles: { apiVersion: rbac, kind: 'Role' },
  roleBindings: { apiVersion: rbac, kind: 'RoleBinding' },
  clusterRoles: { apiVersion: rbac, kind: 'ClusterRole' },
  clusterRoleBindings: { apiVersion: rbac, kind: 'ClusterRoleBinding' },
};

/** Writes roles and bindings through. */
export interface RbacWriter {
  readonly kube: KubeClient;
  readonly cache: KindCache;
  /** Whether an existing object of that name may be changed. */
  readonly isOwn: (live: KubeObject) => boolean;
  readonly signal: AbortSignal;
}

/** The key under which objects with owner labels are found: `Kind namespace/name`; undefined if a label is missing. A hint, no identity. */
export function ownerKeyOf({ metadata }: KubeObject): string | undefined {
  const {
    [olmLabels.ownerKind]: kind,
    [olmLabels.ownerNamespace]: namespace,
    [olmLabels.owner]: name,
  } = metadata.labels ?? {};
  if (kind === undefined || namespace === undefined || name === undefined) return undefined;
  return ownerKey({ kind, namespace, name });
}

/** @see ownerKeyOf */
export function ownerKey(owner: { readonly kind: string; readonly namespace: string; readonly name: string }): string {
  return `${owner.kind} ${owner.namespace}/${owner.name}`;
}

/** What the API server makes of an absent list. */
function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return (isEmpty(a) && isEmpty(b)) || isJsonEqual(a, b);
}

function missing(desired: Record<string, string> = {}, live: Record<string, string> = {}): JsonObject | undefined {
  const entries = Object.entries(desired).filter(([key, value]) => live[key] !== value);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The members besides metadata, null for those that the object must not have. */
function contentOf(object: KubeObject): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content } = object;
  return content as JsonObject;
}

/** The merge patch that gives `live` the content, labels and annotations of `desired`; undefined if it has them. Others stay. */
function correction(live: KubeObject, desired: KubeObject): JsonObject | undefined {
  const content = Object.entries(contentOf(desired)).filter(([key, value]) => !isSame(value, contentOf(live)[key]));
  const labels = missing(desired.metadata.labels, live.metadata.labels);
  const annotations = missing(desired.metadata.annotations, live.metadata.annotations);
  if (content.length === 0 && labels === undefined && annotations === undefined) return undefined;
  const { uid = '', resourceVersion = '' } = live.metadata;
  const metadata = { uid, resourceVersion, ...(labels && { labels }), ...(annotations && { annotations }) };
  return { metadata, ...Object.fromEntries(content) };
}

async function create({ kube, cache, signal }: RbacWriter, desired: KubeObject): Promise<KubeObject> {
  const given = Object.entries(desired).filter(([, value]) => value !== null);
  try {
    const made = await kube.create(Object.fromEntries(given) as KubeObject, {
      fieldManager: olmFieldManager,
      signal,
    });
    cache.wrote(made);
    return made;
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    const { kind, metadata } = desired;
    const message = `${kind} "${metadata.name}" was created meanwhile by another client`;
    throw new TransientError('NotSeenYet', message, { cause: thrown });
  }
}

/** Deletes an object if it is still the same one. */
export async function deleteObject(kube: KubeClient, object: KubeObject, signal: AbortSignal): Promise<void> {
  const { uid, deletionTimestamp } = object.metadata;
  if (uid === undefined || deletionTimestamp !== undefined) return;
  try {
    await kube.delete(refOf(object), { uid, signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

/** Creates or corrects a role or binding. The result is `foreign` if another owner has one of that name, which stays as it is.
 *  @throws TransientError NotSeenYet while another client writes it */
export async function ensureRbac(writer: RbacWriter, desired: KubeObject): Promise<'ensured' | 'foreign'> {
  const { kube, cache, signal, isOwn } = writer;
  const live = cache.get(desired.metadata.name ?? '', desired.metadata.namespace);
  if (live === undefined) {
    await create(writer, desired);
    return 'ensured';
  }
  if (!isOwn(live)) return 'foreign';
  if (live.metadata.deletionTimestamp !== undefined) return 'ensured';
  // The role of a binding cannot be changed.
  if (isJsonObject(desired['roleRef']) && !isSame(live['roleRef'] as JsonValue, desired['roleRef'])) {
    await deleteObject(kube, live, signal);
    await create(writer, desired);
    return 'ensured';
  }
  const patch = correction(live, desired);
  if (patch !== undefined) {
    cache.wrote(await kube.patch(refOf(live), patch, { fieldManager: olmFieldManager, signal }));
  }
  return 'ensured';
}
