import type { ClusterEvent, KubeObject, ObjectKey, ResourceType } from '../core/index.ts';

/** Where an object of the graph is. */
export interface GraphNode {
  readonly uid: string;
  readonly resource: ResourceType;
  readonly key: ObjectKey;
  /** Whether it exists until its dependents are deleted. */
  readonly isWaiting: boolean;
  /** The uids of its owners in the graph. */
  readonly owners: readonly string[];
}

export const foreground = 'foregroundDeletion';
/** As many absent owners as kube-controller-manager remembers. */
const maxDeleted = 500;

function isWaiting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(foreground) === true;
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return (
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    JSON.stringify(a.metadata.ownerReferences) === JSON.stringify(b.metadata.ownerReferences) &&
    JSON.stringify(a.metadata.finalizers) === JSON.stringify(b.metadata.finalizers)
  );
}

/** Who owns what, by uid, kept up from events. Of the references of an object, which may be very many, only those to objects that exist are kept: the
 *  server alone gives uids, so that no later object can have the uid of another reference. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  /** By the uid of the owner: its dependents, and whether they block its deletion. */
  readonly #dependents = new Map<string, Map<string, boolean>>();
  /** Objects with dependents that were deleted last: their kind may not be served any more when these are looked at. */
  readonly #deleted = new Map<string, GraphNode>();
  /** Objects whose owners may be shown later; undefined once everything that is there has been shown. */
  #unlinked: Set<string> | undefined = new Set();

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** An object with dependents that was deleted a while ago at most. */
  deletedNode(uid: string): GraphNode | undefined {
    return this.#deleted.get(uid);
  }

  dependentsOf(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid)?.keys() ?? [])];
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  /** Whether a dependent blocks the deletion of its owner. */
  isBlocked(uid: string): boolean {
    for (const blocks of this.#dependents.get(uid)?.values() ?? []) if (blocks) return true;
    return false;
  }

  /** Takes an event in; gives the uids of all objects that it may concern. */
  update({ type, resource, object, previous }: ClusterEvent): string[] {
    const { uid } = object.metadata;
    if (uid === undefined) return [];
    const before = this.#nodes.get(uid);
    if (type === 'DELETED') return this.#remove(uid, before);
    if (previous !== undefined && before !== undefined && isSame(previous, object)) return [];
    const { namespace = '', name = '' } = object.metadata;
    this.#set({ uid, resource, key: { namespace, name }, isWaiting: isWaiting(object), owners: [] }, object);
    return [...this.#ownersOf(before), ...this.#concerned(uid, object, before?.isWaiting === true)];
  }

  /** Call it once everything that is there has been shown: answers the objects that are to be linked once more. */
  takeUnlinked(): readonly string[] {
    const uids = [...(this.#unlinked ?? [])];
    this.#unlinked = undefined;
    return uids;
  }

  /** Links an object of the graph to its owners, as they are in it now. */
  link(uid: string, object: KubeObject): void {
    const node = this.#nodes.get(uid);
    if (node !== undefined) this.#set(node, object);
  }

  #set(node: GraphNode, { metadata }: KubeObject): void {
    const { uid } = node;
    this.#unlink(uid);
    const references = metadata.ownerReferences ?? [];
    const owners = new Set<string>();
    for (const { uid: owner, blockOwnerDeletion } of references) {
      // The node of an object that owns itself is there only afterwards.
      const known = owner === uid ? uid : this.#nodes.get(owner)?.uid;
      if (known === undefined) continue;
      owners.add(known);
      const dependents = this.#dependents.get(known) ?? new Map<string, boolean>();
      dependents.set(uid, blockOwnerDeletion === true || dependents.get(uid) === true);
      this.#dependents.set(known, dependents);
    }
    if (owners.size < references.length) this.#unlinked?.add(uid);
    this.#nodes.set(uid, { ...node, owners: [...owners] });
  }

  /** Those that still exist. */
  #ownersOf(node: GraphNode | undefined): string[] {
    return (node?.owners ?? []).filter((owner) => this.#nodes.has(owner));
  }

  #concerned(uid: string, { metadata }: KubeObject, wasWaiting: boolean): string[] {
    const { ownerReferences = [], deletionTimestamp } = metadata;
    const isNewlyWaiting = this.#nodes.get(uid)?.isWaiting === true && !wasWaiting;
    const dependents = isNewlyWaiting ? this.dependentsOf(uid) : [];
    const isConcerned = ownerReferences.length > 0 || deletionTimestamp !== undefined;
    return [...dependents, ...(isConcerned ? [uid] : [])];
  }

  #remove(uid: string, before: GraphNode | undefined): string[] {
    const dependents = this.dependentsOf(uid);
    if (before !== undefined && dependents.length > 0) this.#rememberDeleted(before);
    this.#unlink(uid);
    this.#nodes.delete(uid);
    this.#dependents.delete(uid);
    return [...dependents, ...this.#ownersOf(before)];
  }

  #rememberDeleted(node: GraphNode): void {
    this.#deleted.set(node.uid, node);
    const [oldest = ''] = this.#deleted.keys();
    if (this.#deleted.size > maxDeleted) this.#deleted.delete(oldest);
  }

  #unlink(uid: string): void {
    for (const owner of this.#nodes.get(uid)?.owners ?? []) {
      const dependents = this.#dependents.get(owner);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner);
    }
  }
}
