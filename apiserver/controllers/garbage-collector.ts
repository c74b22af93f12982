import type { JsonValue } from '../../src/base/index.ts';
import type { Cluster, DeleteOptions, KubeObject, OwnerReference, ResourceType } from '../core/index.ts';
import { type Controller, ignoreNotFound } from './controller.ts';
import { foreground, type GraphNode, OwnerGraph } from './owner-graph.ts';

const as = 'system:serviceaccount:kube-system:generic-garbage-collector';
const orphan = 'orphan';

/** `solid`: exists, or may exist; `waiting`: exists until its dependents are deleted; `absent`: does not exist. */
type OwnerState = 'solid' | 'waiting' | 'absent';

function hasFinalizer({ metadata }: KubeObject, name: string): boolean {
  return metadata.finalizers?.includes(name) === true;
}

function groupVersionOf(apiVersion: string): readonly [group: string, version: string] {
  const slash = apiVersion.indexOf('/');
  return [slash < 0 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

/** Whether a kind names a type, as client-go's REST mapper resolves it: by its kind, by its kind in lower case, or as the kind of its lists. */
function isNamed(type: ResourceType, kind: string): boolean {
  return type.kind === kind || type.kind.toLowerCase() === kind || `${type.kind}List` === kind;
}

/** The served type that an owner reference names. A version that is not served names nothing. */
function typeOfOwner(cluster: Cluster, { apiVersion, kind }: OwnerReference): ResourceType | undefined {
  const [group, version] = groupVersionOf(apiVersion);
  const type =
    cluster.resourceOfKind(group, kind) ??
    cluster.resources().find((candidate) => candidate.group === group && isNamed(candidate, kind));
  if (type === undefined) return undefined;
  const isServed = cluster.versionsOf(type).some((one) => one.group === group && one.version === version);
  return isServed ? type : undefined;
}

/** Whether the reference of a dependent names an owner in full. */
function isMeant({ resource, key }: GraphNode, reference: OwnerReference, dependent: GraphNode): boolean {
  const [group, version] = groupVersionOf(reference.apiVersion);
  return (
    resource.group === group &&
    resource.version === version &&
    isNamed(resource, reference.kind) &&
    key.name === reference.name &&
    (!resource.namespaced || key.namespace === dependent.key.namespace)
  );
}

/** The uid of what is in a place, by what names the place; undefined where nothing is. */
type KnownPlaces = Map<string, string | undefined>;

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

  namespaceOf(uid: string): string {
    return this.#graph.node(uid)?.key.namespace ?? '';
  }

  /** All owners are known from now on. */
  async prepare(): Promise<void> {
    for (const uid of this.#graph.takeUnlinked()) {
      await this.#cluster.takeTurn();
      const found = this.#find(uid);
      if (found !== undefined) this.#graph.link(uid, found.object);
    }
  }

  async work(uid: string): Promise<void> {
    const found = this.#find(uid);
    if (found === undefined) return;
    const { node, object } = found;
    if (object.metadata.deletionTimestamp === undefined) await this.#collect(node, object);
    else if (hasFinalizer(object, foreground)) await this.#finishForeground(node, object);
    else if (hasFinalizer(object, orphan)) await this.#finishOrphan(node, object);
  }

  #find(uid: string): { readonly node: GraphNode; readonly object: KubeObject } | undefined {
    const node = this.#graph.node(uid);
    const object = node === undefined ? undefined : this.#cluster.get(node.resource, node.key);
    return node === undefined || object?.metadata.uid !== uid ? undefined : { node, object };
  }

  /** Others have a turn between two owners, of which there may be very many. */
  async #statesOf(owners: readonly OwnerReference[], dependent: GraphNode): Promise<readonly OwnerState[]> {
    const states: OwnerState[] = [];
    const places: KnownPlaces = new Map();
    for (const owner of owners) {
      await this.#cluster.takeTurn();
      states.push(this.#stateOfKnown(owner, dependent) ?? this.#stateOf(owner, dependent, places));
    }
    return states;
  }

  /** The state of an owner that is in the graph, or was until it was deleted, and that the reference names in full. */
  #stateOfKnown(reference: OwnerReference, dependent: GraphNode): OwnerState | undefined {
    const live = this.#graph.node(reference.uid);
    const owner = live ?? this.#graph.deletedNode(reference.uid);
    if (owner === undefined || !isMeant(owner, reference, dependent)) return undefined;
    if (live === undefined) return 'absent';
    return live.isWaiting ? 'waiting' : 'solid';
  }

  /** What has the name of an owner may be large: it is read once for all references that name it. */
  #stateOf(owner: OwnerReference, dependent: GraphNode, places: KnownPlaces): OwnerState {
    const type = typeOfOwner(this.#cluster, owner);
    if (type === undefined) return 'solid';
    if (type.namespaced && dependent.key.namespace === '') return 'solid';
    const place = `${type.storageKey} ${owner.name}`;
    if (!places.has(place)) {
      const key = { namespace: type.namespaced ? dependent.key.namespace : '', name: owner.name };
      places.set(place, this.#cluster.get(type, key)?.metadata.uid);
    }
    if (places.get(place) !== owner.uid) return 'absent';
    return this.#graph.node(owner.uid)?.isWaiting === true ? 'waiting' : 'solid';
  }

  async #collect(node: GraphNode, object: KubeObject): Promise<void> {
    const owners = object.metadata.ownerReferences ?? [];
    const states = await this.#statesOf(owners, node);
    if (owners.length === 0 || states.every((state) => state === 'solid')) return;
    if (states.includes('solid')) {
      const kept = owners.filter((_owner, index) => states[index] === 'solid');
      await this.#writeMetadata(node, object, { ownerReferences: kept as unknown as JsonValue });
      return;
    }
    const { uid } = node;
    const isOwnerWaiting = states.includes('waiting') && this.#graph.hasDependents(uid);
    const isInCircle = isOwnerWaiting && this.#graph.dependentsOf(uid).some((one) => this.#isWaiting(one));
    const last = isInCircle ? await this.#unblock(node, object) : object;
    await this.#delete(node, last, isOwnerWaiting);
  }

  #isWaiting(uid: string): boolean {
    return this.#graph.node(uid)?.isWaiting === true;
  }

  /** Objects that own one another in a circle would wait for each other: no owner waits for this one, as in kube-controller-manager. */
  async #unblock(node: GraphNode, object: KubeObject): Promise<KubeObject> {
    const owners = object.metadata.ownerReferences ?? [];
    const ownerReferences = owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    return await this.#writeMetadata(node, object, { ownerReferences: ownerReferences as unknown as JsonValue });
  }

  async #delete(node: GraphNode, object: KubeObject, isOwnerWaiting: boolean): Promise<void> {
    const own = hasFinalizer(object, orphan)
      ? 'Orphan'
      : hasFinalizer(object, foreground)
        ? 'Foreground'
        : 'Background';
    const propagationPolicy: DeleteOptions['propagationPolicy'] = isOwnerWaiting ? 'Foreground' : own;
    const { uid = '', resourceVersion = '' } = object.metadata;
    // Its owners may have changed meanwhile.
    const options = { as, propagationPolicy, uid, resourceVersion };
    await ignoreNotFound(this.#cluster.delete(node.resource, node.key, options));
  }

  /** Dependents are deleted on their own account, as their owner waits; each brings this object back here when it goes. */
  async #finishForeground(node: GraphNode, object: KubeObject): Promise<void> {
    if (!this.#graph.isBlocked(node.uid)) await this.#dropFinalizer(node, object, foreground);
  }

  async #finishOrphan(node: GraphNode, object: KubeObject): Promise<void> {
    for (const dependent of this.#graph.dependentsOf(node.uid)) await this.#release(node.uid, dependent);
    await this.#dropFinalizer(node, object, orphan);
  }

  async #release(ownerUid: string, uid: string): Promise<void> {
    const found = this.#find(uid);
    if (found === undefined) return;
    const { node, object } = found;
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
  ): Promise<KubeObject> {
    const entries = Object.entries(change).map(([field, value]): [string, JsonValue] => [
      field,
      Array.isArray(value) && value.length === 0 ? null : value,
    ]);
    const { uid = null, resourceVersion = null } = object.metadata;
    const metadata = { ...Object.fromEntries(entries), uid, resourceVersion };
    return await this.#cluster.patch(node.resource, node.key, { metadata }, { as });
  }
}

/** Deletes objects whose owners are all deleted, and carries out foreground and orphaning deletions. */
export function garbageCollector(cluster: Cluster): Controller {
  return new GarbageCollector(cluster);
}
