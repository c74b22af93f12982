import type { MachineConfigPool } from '../../api/index.ts';
import type { PoolNode } from './pool-node.ts';

type Rollout = NonNullable<MachineConfigPool['spec']['rollout']>;
/** Which nodes are started first. */
export type NodeOrder = NonNullable<Rollout['order']>;

type Compare = (a: PoolNode, b: PoolNode) => number;

const lastZone = '\uFFFF';
const byName: Compare = (a, b) => (a.name < b.name ? -1 : 1);
const byAge: Compare = (a, b) => a.createdMs - b.createdMs || byName(a, b);

/** Nodes without a zone come last. */
function byZone({ zone: a = lastZone }: PoolNode, { zone: b = lastZone }: PoolNode): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Integers by their value, then texts, then nodes without the label. */
type Rank = readonly [group: number, number: number, text: string];

function rankOf({ labels }: PoolNode, label: string): Rank {
  const value = Object.hasOwn(labels, label) ? labels[label] : undefined;
  if (value === undefined) return [2, 0, ''];
  return /^\d{1,15}$/.test(value) ? [0, Number(value), ''] : [1, 0, value];
}

function compareRanks(a: Rank, b: Rank): number {
  return a[0] - b[0] || a[1] - b[1] || (a[2] === b[2] ? 0 : a[2] < b[2] ? -1 : 1);
}

/** Zones by the first rank that one of their nodes has. All nodes count: the order of zones does not change while they are updated. */
function byZoneRank(nodes: readonly PoolNode[], label: string): Compare {
  const first = new Map<string | undefined, Rank>();
  for (const node of nodes) {
    const rank = rankOf(node, label);
    const known = first.get(node.zone);
    if (known === undefined || compareRanks(rank, known) < 0) first.set(node.zone, rank);
  }
  const of = ({ zone }: PoolNode): Rank => first.get(zone) ?? [2, 0, ''];
  return (a, b) => compareRanks(of(a), of(b)) || byZone(a, b);
}

/** How the nodes of a pool are ordered. By default by zone, in a zone the oldest first.
 *  @see docs/spec/machine-lifecycle.md#generic-node-updater */
export function compareNodes(
  nodes: readonly PoolNode[],
  { order = { by: 'ZoneAge' }, zoneByZone = false }: Pick<Rollout, 'order' | 'zoneByZone'>,
): Compare {
  const { by, label = '' } = order;
  if (by === 'LabelPriority') {
    const byLabel: Compare = (a, b) => compareRanks(rankOf(a, label), rankOf(b, label));
    const zones = zoneByZone ? byZoneRank(nodes, label) : () => 0;
    return (a, b) => zones(a, b) || byLabel(a, b) || byZone(a, b) || byAge(a, b);
  }
  if (by === 'Name') return (a, b) => (zoneByZone ? byZone(a, b) : 0) || byName(a, b);
  return (a, b) => byZone(a, b) || byAge(a, b);
}
