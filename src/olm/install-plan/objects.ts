import { clusterServiceVersionResource, olmLabels } from '../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../kube/index.ts';
import { ownerLabels } from '../../operators/index.ts';

/** Where a step puts its object, and for which operator. */
export interface Placement {
  /** Of the plan. */
  readonly namespace: string;
  readonly isNamespaced: boolean;
  /** ClusterServiceVersion that needs the object; undefined where the step names none. */
  readonly owner: { readonly name: string; readonly uid: string } | undefined;
}

const { apiVersion: csvVersion, kind: csvKind } = clusterServiceVersionResource;

function isCsv({ kind, apiVersion }: OwnerReference): boolean {
  return kind === csvKind && apiVersion.startsWith('operators.coreos.com/');
}

function ownerReferencesOf({ owner }: Placement): OwnerReference[] {
  if (owner === undefined) return [];
  const { name, uid } = owner;
  return [{ apiVersion: csvVersion, kind: csvKind, name, uid, controller: false, blockOwnerDeletion: false }];
}

/** Labels that name an owner decide where roles are copied to and what is deleted: those of the manifest count if they name its operator. */
function withoutFalseOwner(
  labels: Readonly<Record<string, string>> | undefined,
  { namespace, owner }: Placement,
): Readonly<Record<string, string>> {
  const {
    [olmLabels.owner]: name,
    [olmLabels.ownerNamespace]: place,
    [olmLabels.ownerKind]: kind,
    ...rest
  } = labels ?? {};
  const isTrue = owner !== undefined && name === owner.name && place === namespace && kind === csvKind;
  return isTrue ? { ...labels } : rest;
}

function metadataOf(manifest: JsonObject, placement: Placement): ObjectMeta {
  const { name, labels, annotations, finalizers } = manifest['metadata'] as ObjectMeta;
  const { namespace, isNamespaced, owner } = placement;
  const owned = isNamespaced || owner === undefined ? {} : ownerLabels({ kind: csvKind, namespace, name: owner.name });
  const ownerReferences = isNamespaced ? ownerReferencesOf(placement) : [];
  return {
    ...(name === undefined ? {} : { name }),
    ...(isNamespaced ? { namespace } : {}),
    labels: { ...withoutFalseOwner(labels, placement), ...owned, [olmLabels.managed]: 'true' },
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
  };
}

/** The object of a step as it is created: in the namespace of the plan, whatever the manifest names, and owned by the operator: by reference where the
 *  owner is in the same namespace, by labels where the object has none. */
export function placedObject(manifest: JsonObject, placement: Placement): KubeObject {
  const { status: _status, metadata: _metadata, ...rest } = manifest;
  return {
    ...rest,
    apiVersion: textAt(manifest, 'apiVersion'),
    kind: textAt(manifest, 'kind'),
    metadata: metadataOf(manifest, placement),
  };
}

/** Whether an object was installed for an operator: others are updated, as OLM does, but stay when the operator is removed. */
export function isManaged({ metadata }: KubeObject): boolean {
  return metadata.labels?.[olmLabels.managed] === 'true' || (metadata.ownerReferences ?? []).some(isCsv);
}

function named(list: readonly JsonObject[]): Map<string, JsonObject> {
  return new Map(list.map((item) => [textAt(item, 'name'), item]));
}

/** What the cluster has added to an object, and an update must keep. */
function keptMembers(live: KubeObject, desired: KubeObject): JsonObject {
  const [before, after] = [live as unknown as JsonObject, desired as unknown as JsonObject];
  if (desired.kind === 'ServiceAccount') {
    const both = (key: string): JsonObject[] => [
      ...named([...objectsAt(before, key), ...objectsAt(after, key)]).values(),
    ];
    const lists = ['secrets', 'imagePullSecrets'].map((key): [string, JsonObject[]] => [key, both(key)]);
    return Object.fromEntries(lists.filter(([, list]) => list.length > 0));
  }
  if (desired.kind !== 'Service') return {};
  const spec = objectAt(before, 'spec') ?? {};
  const allocated = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'healthCheckNodePort'];
  const kept = Object.entries(spec).filter(([key]) => allocated.includes(key));
  return { spec: { ...Object.fromEntries(kept), ...objectAt(after, 'spec') } };
}

/** The operators that the object was installed for, versions of one or others of the namespace: it goes with the last of them. */
function ownersAfter(live: KubeObject, desired: KubeObject): OwnerReference[] {
  const before = live.metadata.ownerReferences ?? [];
  if (!isManaged(live)) return before;
  const added = desired.metadata.ownerReferences ?? [];
  return [...before.filter(({ uid }) => added.every((reference) => reference.uid !== uid)), ...added];
}

/** An existing object with what a step requires of it: `desired` replaces everything but metadata, status and what the cluster has allocated. */
export function updatedObject(live: KubeObject, desired: KubeObject): KubeObject {
  const { status } = live;
  const { metadata: _metadata, ...rest } = desired;
  const owners = ownersAfter(live, desired);
  const labels = { ...live.metadata.labels, ...desired.metadata.labels };
  // The label makes an object go with its operator.
  if (!isManaged(live)) delete labels[olmLabels.managed];
  const annotations = { ...live.metadata.annotations, ...desired.metadata.annotations };
  return {
    ...rest,
    ...keptMembers(live, desired),
    ...(status === undefined ? {} : { status }),
    apiVersion: desired.apiVersion,
    kind: desired.kind,
    metadata: {
      ...live.metadata,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(owners.length === 0 ? {} : { ownerReferences: owners }),
    },
  };
}
