import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { type Controller, ignoreNotFound, listInTurns, PendingChanges, specOf } from '../controllers/index.ts';
import {
  type Cluster,
  type ClusterEvent,
  type KubeObject,
  matchesLabelSelector,
  type ObjectSummary,
  type OwnerReference,
  type ResourceType,
} from '../core/index.ts';
import { controllerReference, keyText } from './simulated.ts';

function groupOf(apiVersion: string): string {
  return apiVersion.split('/').slice(0, -1).join('/');
}

function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The label selector of a workload; a ReplicationController's is a plain map. Undefined where it selects nothing or everything. */
function selectorOf(kind: string, selector: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(selector) || Object.keys(selector).length === 0) return undefined;
  return kind === 'ReplicationController' ? { matchLabels: selector } : selector;
}

/** Whether the selector of a workload of that kind selects the labels. An empty selector selects nothing. */
function selectsLabels(kind: string, given: JsonValue | undefined, labels: ObjectSummary['labels'] = {}): boolean {
  const selector = selectorOf(kind, given);
  return selector !== undefined && matchesLabelSelector(selector, labels);
}

function selects(owner: KubeObject, { metadata }: KubeObject): boolean {
  return selectsLabels(owner.kind, specOf(owner).selector, metadata.labels);
}

/** Whether an owner may have to adopt or release an object. */
function mayChange(owner: KubeObject): (child: ObjectSummary) => boolean {
  const { selector } = specOf(owner);
  return (child) => {
    const isOrphan = child.controllerUid === '';
    if (isOrphan ? child.isDeleting : child.controllerUid !== owner.metadata.uid) return false;
    return selectsLabels(owner.kind, selector, child.labels) === isOrphan;
  };
}

/** Which objects a workload may adopt and release, and as whom. */
export interface Claim {
  readonly cluster: Cluster;
  readonly type: ResourceType;
  readonly owner: KubeObject;
  readonly as: string;
  /** Objects that are neither adopted nor released; default: none. */
  readonly isPassedOver?: (child: KubeObject) => boolean;
}

async function writeOwners({ cluster, type, as }: Claim, child: KubeObject, owners: readonly unknown[]): Promise<void> {
  const { namespace = '', name = '', uid = null, resourceVersion = null } = child.metadata;
  const ownerReferences = owners.length === 0 ? null : (owners as unknown as JsonValue);
  const metadata = { ownerReferences, uid, resourceVersion };
  await ignoreNotFound(cluster.patch(type, { namespace, name }, { metadata }, { as }));
}

/** Whether the owner exists and is not being deleted, as of now: it may be long since it was read. What it adopted after the garbage collector had
 *  released its objects, so that they stay, would be deleted. */
function isOwnerThere({ cluster, owner }: Claim): boolean {
  const { apiVersion, kind, metadata } = owner;
  const type = cluster.resourceOfKind(groupOf(apiVersion), kind);
  const { namespace = '', name = '', uid } = metadata;
  const live = type === undefined ? undefined : cluster.get(type, { namespace, name });
  return live?.metadata.uid === uid && live?.metadata.deletionTimestamp === undefined;
}

/** Adopts objects that the selector selects and no controller owns, and releases those of the owner that it no longer selects.
 *  Nothing is adopted that is being deleted, and nothing is done for an owner that is.
 *  @throws StatusError 409 when an object changed meanwhile */
export async function claimChildren(claim: Claim): Promise<void> {
  const { cluster, type, owner, isPassedOver } = claim;
  const { namespace = '' } = owner.metadata;
  for await (const child of cluster.eachInTurns(type, { namespace, selects: mayChange(owner) })) {
    const owners = isPassedOver?.(child) === true ? undefined : ownersAfter(owner, child);
    if (owners === undefined) continue;
    if (!isOwnerThere(claim)) return;
    await writeOwners(claim, child, owners);
  }
}

/** The owners that the object should have; undefined when they stay. */
function ownersAfter(owner: KubeObject, child: KubeObject): readonly OwnerReference[] | undefined {
  const { ownerReferences = [], deletionTimestamp } = child.metadata;
  const controller = controllerOf(child);
  if (controller !== undefined) {
    const isReleased = controller.uid === owner.metadata.uid && !selects(owner, child);
    return isReleased ? ownerReferences.filter(({ uid }) => uid !== controller.uid) : undefined;
  }
  const isAdopted = deletionTimestamp === undefined && selects(owner, child);
  return isAdopted ? [...ownerReferences, controllerReference(owner)] : undefined;
}

function ownerKeys(type: ResourceType, object: KubeObject): string[] {
  const owner = controllerOf(object);
  if (owner?.kind !== type.kind || groupOf(owner.apiVersion) !== type.group) return [];
  return [`${object.metadata.namespace ?? ''}/${owner.name}`];
}

/** What a controller of workloads is asked for. */
export type ClaimKeys = Required<Pick<Controller, 'keysOf' | 'concernedIn'>>;

/** For a workload that claims objects of the kinds in `children` (plurals): the keys of the workload itself, of the owners of children in
 *  events, before and after them, and of those that may adopt an orphan. */
export function keysOfClaims(cluster: Cluster, type: ResourceType, children: readonly string[]): ClaimKeys {
  const orphans = new PendingChanges<Record<string, string>>();
  const adopters = ({ object, resource, type: change }: ClusterEvent): string[] => {
    const isOrphan = controllerOf(object) === undefined && object.metadata.deletionTimestamp === undefined;
    if (change === 'DELETED' || !isOrphan || !children.includes(resource.plural)) return [];
    const { namespace = '', labels = {} } = object.metadata;
    return [orphans.add(namespace, labels)];
  };
  return {
    keysOf: (event) => {
      const { resource, object, previous } = event;
      if (resource.storageKey === type.storageKey) return [keyText(object)];
      const former = previous === undefined ? [] : ownerKeys(type, previous);
      return new Set([...former, ...ownerKeys(type, object), ...adopters(event)]);
    },
    concernedIn: async (namespace) => {
      const changes = orphans.take(namespace);
      const mayAdopt = ({ selector }: ObjectSummary): boolean =>
        changes?.some((labels) => selectsLabels(type.kind, selector, labels)) !== false;
      return (await listInTurns(cluster, type, { namespace, selects: mayAdopt })).map((owner) => keyText(owner));
    },
  };
}
