import type { ClusterEvent, KubeObject, ObjectKey, OwnerReference, ResourceType } from '../core/index.ts';

/** Where an object of the graph is. */
export interface GraphNode {
  readonly resource: ResourceType;
  readonly key: ObjectKey;
  readonly owners: readonly OwnerReference[];
}

function nodeOf(resource: ResourceType, { metadata }: KubeObject): GraphNode {
  const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  return { resource, key, owners: metadata.ownerReferences ?? [] };
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return (
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    JSON.stringify(a.metadata.ownerReferences) === JSON.stringify(b.metadata.ownerReferences) &&
    JSON.stringify(a.metadata.finalizers) === JSON.stringify(b.metadata.finalizers)
  );
}

/** Who owns what, by uid, kept up from events. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  /** Takes an event in; gives the uids of all objects that it may concern. */
  update({ type, resource, object, previous }: ClusterEvent): string[] {
    const { uid } = object.metadata;
    if (uid === undefined) return [];
    if (type === 'DELETED') return this.#remove(uid, object);
    if (previous !== undefined && this.#nodes.has(uid) && isSame(previous, object)) return [];
    const before = this.#nodes.get(uid)?.owners ?? [];
    const node = nodeOf(resource, object);
    this.#unlink(uid, before);
    this.#nodes.set(uid, node);
    this.#link(uid, node.owners);
    return this.#concerned(uid, object, before);
  }

  #concerned(uid: string, { metadata }: KubeObject, before: readonly OwnerReference[]): string[] {
    const hasOwners = (metadata.ownerReferences ?? []).length > 0;
    const isBeingDeleted = metadata.deletionTimestamp !== undefined;
    const formerOwners = before.map((owner) => owner.uid).filter((owner) => this.#nodes.has(owner));
    const dependents = isBeingDeleted ? this.dependentsOf(uid) : [];
    return [...formerOwners, ...dependents, ...(hasOwners || isBeingDeleted ? [uid] : [])];
  }

  #remove(uid: string, object: KubeObject): string[] {
    const owners = this.#nodes.get(uid)?.owners ?? object.metadata.ownerReferences ?? [];
    this.#unlink(uid, owners);
    this.#nodes.delete(uid);
    const known = owners.map((owner) => owner.uid).filter((owner) => this.#nodes.has(owner));
    return [...this.dependentsOf(uid), ...known];
  }

  #link(uid: string, owners: readonly OwnerReference[]): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set<string>();
      this.#dependents.set(owner.uid, dependents.add(uid));
    }
  }

  #unlink(uid: string, owners: readonly OwnerReference[]): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}
