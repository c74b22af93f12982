import { type MachineConfigPool, type RolloutHold, type RolloutStatus, rolloutGates } from '../../api/index.ts';
import { cutText, formatTimestamp } from '../../base/index.ts';
import type { PoolNode } from './pool-node.ts';

/** What keeps a pool from starting nodes. A closed set, for metrics. */
export type HoldKind =
  | 'arbiter'
  | 'batch'
  | 'budgets'
  | 'canary'
  | 'check'
  | 'degraded-pool'
  | 'etcd'
  | 'invalid'
  | 'skew'
  | 'window';

/** Reasons of the condition `RolloutHeld`. */
export const holdReasons: Readonly<Record<HoldKind, string>> = {
  arbiter: 'ArbiterUnavailable',
  batch: 'BatchInWork',
  budgets: 'DisruptionBudgetDeadlock',
  canary: 'CanaryNotPassed',
  check: 'CheckNotPassed',
  'degraded-pool': 'OtherPoolDegraded',
  etcd: 'EtcdNotHealthy',
  invalid: 'InvalidSpec',
  skew: 'VersionSkew',
  window: 'OutsideMaintenanceWindow',
};

/** Why no node is started. */
export interface Hold {
  readonly kind: HoldKind;
  /** By which it is shown, and skipped where it can be. */
  readonly gate: string;
  readonly message: string;
}

/** Nodes that may start, or what holds them. */
export interface GatedNodes {
  readonly chosen: readonly PoolNode[];
  readonly hold?: Hold;
}

/** How often a gate is evaluated that no watch shows. */
export const checkPollMs = 5_000;

const maxMessageCharacters = 1_500;
const skippable: readonly string[] = Object.values(rolloutGates);

function isSkippable({ kind, gate }: Hold): boolean {
  return kind === 'check' || skippable.includes(gate);
}

/** What the pool waits for, and what an administrator can do. */
function holdText(hold: Hold, pool: string): string {
  const hint = isSkippable(hold) ? `. To go on without it: longshore pool skip ${pool} ${hold.gate}` : '';
  return `${cutText(hold.message, maxMessageCharacters)}${hint}`;
}

/** `status.rollout.hold`. Its time is that since which this gate has held; `isFresh` if it did not before. */
export function holdStatus(
  hold: Hold,
  pool: MachineConfigPool,
  nowMs: number,
): { readonly held: RolloutHold; readonly isFresh: boolean } {
  const { hold: before, configuration } = pool.status?.rollout ?? ({} as RolloutStatus);
  const isSame = before?.gate === hold.gate && configuration === pool.spec.configuration?.name;
  const since = isSame ? before.since : formatTimestamp(nowMs);
  return { held: { gate: hold.gate, since, message: holdText(hold, pool.metadata.name) }, isFresh: !isSame };
}
