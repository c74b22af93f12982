import { compareNodes, type NodeOrder } from './order.ts';
import { isUpdated, type PoolNode } from './pool-node.ts';

/** What the choice of nodes depends on. */
export interface ChoiceFacts {
  readonly target: string;
  readonly nodes: readonly PoolNode[];
  /** How many may be unavailable. */
  readonly maxUnavailable: number;
  /** How many of one zone may be. */
  readonly maxUnavailablePerZone?: number | undefined;
  /** Whether a zone is completed before the next one begins. */
  readonly zoneByZone?: boolean | undefined;
  /** Default: by zone and age. */
  readonly order?: NodeOrder | undefined;
  /** How many nodes may have the target, or be on their way to it; undefined: all. */
  readonly startLimit?: number | undefined;
  /** Nodes that do not start now. */
  readonly excluded?: ReadonlySet<string>;
  /** Nodes that go after all others: those that run the controller. */
  readonly deferred?: ReadonlySet<string>;
}

/** Which nodes start now. */
export interface Choice {
  readonly chosen: readonly PoolNode[];
  /** How many could start. */
  readonly capacity: number;
  readonly candidates: readonly PoolNode[];
  /** Left out although they could start. */
  readonly deferred: readonly PoolNode[];
}

function isCandidate({ desired, hasDesiredImage, unreadiness, isLeaving }: PoolNode, target: string): boolean {
  return (desired !== target || hasDesiredImage) && unreadiness === undefined && !isLeaving;
}

/** The capacity after those that are unavailable, and those that fail with this very configuration. */
function capacityOf({ target, nodes, maxUnavailable }: ChoiceFacts): number {
  const unavailable = nodes.filter((node) => node.isUnavailable).length;
  const failing = nodes.filter((node) => node.isFailing && node.desired === target && !node.hasDesiredImage).length;
  const isFailingCounted = maxUnavailable - unavailable > 0;
  return Math.max(0, maxUnavailable - unavailable - (isFailingCounted ? failing : 0));
}

/** The zone that is being updated: the first one with a node that is not updated. Undefined for nodes without a zone, or where all are updated. */
export function zoneInWork(facts: Pick<ChoiceFacts, 'nodes' | 'target' | 'order' | 'zoneByZone'>): string | undefined {
  const { nodes, target } = facts;
  const open = nodes.filter((node) => !isUpdated(node, target) || node.unreadiness !== undefined);
  return open.toSorted(compareNodes(nodes, sortOf(facts)))[0]?.zone;
}

function sortOf({ order, zoneByZone = false }: Pick<ChoiceFacts, 'order' | 'zoneByZone'>) {
  return order === undefined ? { zoneByZone } : { order, zoneByZone };
}

function withinZones(sorted: readonly PoolNode[], facts: ChoiceFacts): readonly PoolNode[] {
  const { maxUnavailablePerZone, zoneByZone = false, nodes } = facts;
  const inWork = zoneInWork(facts);
  const allowed = zoneByZone ? sorted.filter(({ zone }) => zone === inWork) : sorted;
  if (maxUnavailablePerZone === undefined) return allowed;
  const counts = new Map<string | undefined, number>();
  for (const { zone, isUnavailable } of nodes) if (isUnavailable) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  return allowed.filter(({ zone }) => {
    const count = counts.get(zone) ?? 0;
    if (count >= maxUnavailablePerZone) return false;
    counts.set(zone, count + 1);
    return true;
  });
}

function startable({ nodes, target, startLimit = Number.POSITIVE_INFINITY }: ChoiceFacts): number {
  return Math.max(0, startLimit - nodes.filter(({ desired }) => desired === target).length);
}

/** Chooses the nodes that start now. A node that fails with another configuration may be chosen: that is the way forward, and back.
 *  @see docs/spec/machine-lifecycle.md#one-round-for-a-pool */
export function chooseNodes(facts: ChoiceFacts): Choice {
  const capacity = capacityOf(facts);
  const isExcluded = ({ name }: PoolNode): boolean => facts.excluded?.has(name) === true;
  const all = capacity === 0 ? [] : facts.nodes.filter((node) => isCandidate(node, facts.target) && !isExcluded(node));
  const isDeferred = ({ name }: PoolNode): boolean => all.length > 1 && facts.deferred?.has(name) === true;
  const candidates = all.filter((node) => !isDeferred(node));
  const sorted = candidates.toSorted(compareNodes(facts.nodes, sortOf(facts)));
  const chosen = withinZones(sorted, facts).slice(0, Math.min(capacity, startable(facts)));
  return { chosen, capacity, candidates, deferred: all.filter(isDeferred) };
}
