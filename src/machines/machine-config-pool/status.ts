import type { PoolConditionType } from '../../api/index.ts';
import { goQuote } from '../../base/index.ts';
import { isUpdated, type PoolNode } from './pool-node.ts';

/** A condition of a pool as it is to be. */
export interface PoolConditionChange {
  readonly type: PoolConditionType;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Numbers of nodes, as the status of a pool has them. */
export interface PoolCounts {
  readonly machineCount: number;
  readonly updatedMachineCount: number;
  readonly readyMachineCount: number;
  readonly unavailableMachineCount: number;
  readonly degradedMachineCount: number;
}

export interface PoolFacts {
  readonly target: string;
  readonly nodes: readonly PoolNode[];
  readonly isPaused: boolean;
  /** The configuration cannot be rendered. */
  readonly isRenderDegraded: boolean;
  /** Why no node is started. */
  readonly hold?: string | undefined;
}

const maxReports = 50;

type Change = (type: PoolConditionType, message?: string) => PoolConditionChange;

const isTrue: Change = (type, message = '') => ({ type, status: 'True', reason: '', message });
const isFalse: Change = (type, message = '') => ({ type, status: 'False', reason: '', message });

/** Counts the nodes of a pool. Those whose machine is being deleted do not belong to it any more.
 *  @see docs/spec/machine-lifecycle.md#status */
export function countNodes(nodes: readonly PoolNode[], target: string): PoolCounts {
  const staying = nodes.filter(({ isLeaving }) => !isLeaving);
  const updated = staying.filter((node) => isUpdated(node, target));
  return {
    machineCount: staying.length,
    updatedMachineCount: updated.length,
    readyMachineCount: updated.filter(({ unreadiness }) => unreadiness === undefined).length,
    unavailableMachineCount: staying.filter(({ isUnavailable }) => isUnavailable).length,
    degradedMachineCount: staying.filter(({ isDegraded }) => isDegraded).length,
  };
}

/** Whether all nodes have the configuration, and work. An empty pool is updated. */
export function isPoolUpdated({
  machineCount,
  updatedMachineCount,
  readyMachineCount,
  unavailableMachineCount,
}: PoolCounts): boolean {
  return updatedMachineCount === machineCount && readyMachineCount === machineCount && unavailableMachineCount === 0;
}

function progress({ target, isPaused, hold }: PoolFacts, isDone: boolean): readonly PoolConditionChange[] {
  if (isDone) {
    return [isTrue('Updated', `All nodes are updated with MachineConfig ${target}`), isFalse('Updating')];
  }
  const held = hold === undefined ? '' : `; ${hold}`;
  const updating = isPaused
    ? isFalse('Updating', `Pool is paused; will not update to MachineConfig ${target}`)
    : isTrue('Updating', `All nodes are updating to MachineConfig ${target}${held}`);
  return [isFalse('Updated'), updating];
}

function reportsOf(degraded: readonly PoolNode[]): string {
  const reporting = degraded.filter(({ reason }) => reason !== '');
  const shown = reporting
    .slice(0, maxReports)
    .map(({ name, reason }) => `Node ${name} is reporting: ${goQuote(reason)}`);
  const left = reporting.length - shown.length;
  return `${shown.join(', ')}${left === 0 ? '' : ` and ${left} others`}`;
}

/** The conditions of a pool that follow from its nodes.
 *  @see docs/spec/machine-lifecycle.md#status */
export function poolConditions(facts: PoolFacts, counts: PoolCounts): readonly PoolConditionChange[] {
  const degraded = facts.nodes.filter(({ isDegraded, isLeaving }) => isDegraded && !isLeaving);
  const reports = reportsOf(degraded);
  const isNodeDegraded = degraded.length > 0;
  const isDegraded = isNodeDegraded || facts.isRenderDegraded;
  return [
    ...progress(facts, isPoolUpdated(counts)),
    isNodeDegraded ? { ...isTrue('NodeDegraded', reports), reason: 'NodesDegraded' } : isFalse('NodeDegraded'),
    isDegraded ? isTrue('Degraded', isNodeDegraded ? reports : '') : isFalse('Degraded'),
  ];
}
