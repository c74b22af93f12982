import type { JsonValue } from '../../src/base/index.ts';
import type { Cluster, DeleteOptions, KubeObject, OwnerReference, ResourceType } from '../core/index.ts';
import { type Controller, ignoreNotFound } from './controller.ts';
import { type GraphNode, OwnerGraph } from './owner-graph.ts';

const as = 'system:serviceaccount:kube-system:generic-garbage-collector';
const foreground = 'foregroundDeletion';
const orphan = 'orphan';

/** `solid`: exists, or may exist; `waiting`: exists until its dependents are deleted; `absent`: does not exist. */
type OwnerState = 'solid' | 'waiting' | 'absent';

function hasFinalizer({ metadata }: KubeObject, name: string): boolean {
  return metadata.finalizers?.includes(name) === true;
}

function isWaiting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && hasFinalizer(object, foreground);
}

/** The served type that an owner reference names, as client-go's REST mapper resolves it: by its kind, by its kind in lower case, or as the
 *  kind of its lists. A version that is not served names nothing. */
function typeOfOwner(cluster: Cluster, { apiVersion, kind }: OwnerReference): ResourceType | undefined {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const isNamed = (type: ResourceType): boolean => type.kind.toLowerCase() === kind || `${type.kind}List` === kind;
  const type =
    cluster.resourceOfKind(group, kind) ??
    cluster.resources().find((candidate) => candidate.group === group && isNamed(candidate));
  if (type === undefined) return undefined;
  const isServed = cluster.versionsOf(type).some((one) => one.group === group && one.version === version);
  return isServed ? type : undefined;
}

class GarbageCollector implements Controller {
  readonly name = 'garbage-collector';
  readonly #cluster: Cluster;
  readonly #graph = new OwnerGraph();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  keysOf(event: Parameters<Controller['keysOf']>[0]): Iterable<string> {
    return this.#graph.update(event);
  }

  async work(uid: string): Promise<void> {
    const node = this.#graph.node(uid);
    const object = node === undefined ? undefined : this.#cluster.get(node.resource, node.key);
    if (node === undefined || object?.metadata.uid !== uid) return;
    if (object.metadata.deletionTimestamp === undefined) await this.#collect(node, object);
    else if (hasFinalizer(object, foreground)) await this.#finishForeground(uid, node, object);
    else if (hasFinalizer(object, orphan)) await this.#finishOrphan(uid, node, object);
  }

  #stateOf(owner: OwnerReference, dependent: GraphNode): OwnerState {
    const type = typeOfOwner(this.#cluster, owner);
    if (type === undefined) return 'solid';
    if (type.namespaced && dependent.key.namespace === '') return 'solid';
    const namespace = type.namespaced ? dependent.key.namespace : '';
    const object = this.#cluster.get(type, { namespace, name: owner.name });
    if (object?.metadata.uid !== owner.uid) return 'absent';
    return isWaiting(object) ? 'waiting' : 'solid';
  }

  async #collect(node: GraphNode, object: KubeObject): Promise<void> {
    const owners = object.metadata.ownerReferences ?? [];
    const states = owners.map((owner) => this.#stateOf(owner, node));
    if (owners.length === 0 || states.every((state) => state === 'solid')) return;
    if (states.includes('solid')) {
      const kept = owners.filter((_owner, index) => states[index] === 'solid');
      await this.#writeMetadata(node, object, { ownerReferences: kept as unknown as JsonValue });
      return;
    }
    const dependents = this.#graph.dependentsOf(object.metadata.uid ?? '');
    const isOwnerWaiting = states.includes('waiting') && dependents.length > 0;
    if (isOwnerWaiting && dependents.some((uid) => this.#isWaiting(uid))) await this.#unblock(node, object);
    await this.#delete(node, object, isOwnerWaiting);
  }

  #isWaiting(uid: string): boolean {
    const node = this.#graph.node(uid);
    const object = node === undefined ? undefined : this.#cluster.get(node.resource, node.key);
    return object?.metadata.uid === uid && isWaiting(object);
  }

  /** Objects that own one another in a circle would wait for each other: no owner waits for this one, as in kube-controller-manager. */
  async #unblock(node: GraphNode, object: KubeObject): Promise<void> {
    const owners = object.metadata.ownerReferences ?? [];
    const ownerReferences = owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    await this.#writeMetadata(node, object, { ownerReferences: ownerReferences as unknown as JsonValue });
  }

  async #delete(node: GraphNode, object: KubeObject, isOwnerWaiting: boolean): Promise<void> {
    const own = hasFinalizer(object, orphan)
      ? 'Orphan'
      : hasFinalizer(object, foreground)
        ? 'Foreground'
        : 'Background';
    const propagationPolicy: DeleteOptions['propagationPolicy'] = isOwnerWaiting ? 'Foreground' : own;
    const { uid } = object.metadata;
    const options = { as, propagationPolicy, ...(uid === undefined ? {} : { uid }) };
    await ignoreNotFound(this.#cluster.delete(node.resource, node.key, options));
  }

  /** Dependents are deleted on their own account, as their owner waits; each brings this object back here when it goes. */
  async #finishForeground(uid: string, node: GraphNode, object: KubeObject): Promise<void> {
    const dependents = this.#graph.dependentsOf(uid);
    const isBlocked = dependents.some((dependent) =>
      this.#graph.node(dependent)?.owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
    if (!isBlocked) await this.#dropFinalizer(node, object, foreground);
  }

  async #finishOrphan(uid: string, node: GraphNode, object: KubeObject): Promise<void> {
    for (const dependent of this.#graph.dependentsOf(uid)) await this.#release(uid, dependent);
    await this.#dropFinalizer(node, object, orphan);
  }

  async #release(ownerUid: string, uid: string): Promise<void> {
    const node = this.#graph.node(uid);
    const object = node === undefined ? undefined : this.#cluster.get(node.resource, node.key);
    if (node === undefined || object?.metadata.uid !== uid) return;
    const kept = (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== ownerUid);
    await ignoreNotFound(this.#writeMetadata(node, object, { ownerReferences: kept as unknown as JsonValue }));
  }

  async #dropFinalizer(node: GraphNode, object: KubeObject, name: string): Promise<void> {
    const finalizers = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== name);
    await ignoreNotFound(this.#writeMetadata(node, object, { finalizers }));
  }

  /** An empty list is written as `null`, so that nothing is left of it. */
  async #writeMetadata(
    node: GraphNode,
    object: KubeObject,
    change: Readonly<Record<string, JsonValue>>,
  ): Promise<void> {
    const entries = Object.entries(change).map(([field, value]): [string, JsonValue] => [
      field,
      Array.isArray(value) && value.length === 0 ? null : value,
    ]);
    const { uid = null, resourceVersion = null } = object.metadata;
    const metadata = { ...Object.fromEntries(entries), uid, resourceVersion };
    await this.#cluster.patch(node.resource, node.key, { metadata }, { as });
  }
}

/** Deletes objects whose owners are all deleted, and carries out foreground and orphaning deletions. */
export function garbageCollector(cluster: Cluster): Controller {
  return new GarbageCollector(cluster);
}
