import { type MachineConfigPool, type RolloutStatus, rolloutGates } from '../../api/index.ts';
import { formatTimestamp, parseGoDuration, TerminalError } from '../../base/index.ts';
import type { Hold } from './hold.ts';
import { isUpdated, type PoolNode } from './pool-node.ts';

const defaultBakeMs = 600_000;
const maxBakeMs = 168 * 3_600_000;
const maxListed = 20;

/** How far the first nodes of an update are. */
export interface CanaryState {
  /** How many nodes may have been started; undefined once others may be. */
  readonly limit?: number;
  /** What others wait for. */
  readonly hold?: Hold;
  /** When to evaluate it again although nothing changes. */
  readonly againMs?: number;
  /** For the status of the pool; undefined where there is no canary. */
  readonly status?: NonNullable<RolloutStatus['canary']>;
}

interface CanaryFacts {
  readonly pool: MachineConfigPool;
  readonly target: string;
  readonly nodes: readonly PoolNode[];
  readonly isSkipped: boolean;
  readonly nowMs: number;
}

interface Bake {
  /** In milliseconds. */
  readonly bake: number;
  readonly nowMs: number;
}

function bakeMs(bake: string | undefined): number {
  if (bake === undefined) return defaultBakeMs;
  const ms = Number(parseGoDuration(bake) ?? -1n) / 1e6;
  if (ms >= 0 && ms <= maxBakeMs) return ms;
  const shown = bake.slice(0, 20);
  throw new TerminalError('InvalidCanary', `canary: bake "${shown}" must be a duration of at most 168h, such as 30m`);
}

/** What was noted about the update to this configuration. */
function recordOf({ status }: MachineConfigPool, target: string): NonNullable<RolloutStatus['canary']> {
  const { configuration, canary } = status?.rollout ?? {};
  return configuration === target ? (canary ?? {}) : {};
}

function waiting(message: string): Hold {
  return { gate: rolloutGates.canary, kind: 'canary', message };
}

function problemOf({ name, isDegraded, unreadiness, reason }: PoolNode): string {
  if (isDegraded) return `node ${name} is degraded: ${reason.slice(0, 200)}`;
  return unreadiness ?? `node ${name} is being updated`;
}

const namesOf = (nodes: readonly PoolNode[]): readonly string[] => nodes.slice(0, maxListed).map(({ name }) => name);

function startedNodes({ pool, target, nodes }: CanaryFacts): readonly PoolNode[] {
  const isReplacing = pool.spec.rollout?.action === 'MachineReplace';
  return nodes.filter((node) => node.desired === target || (isReplacing && node.isLeaving));
}

/** What keeps the bake from beginning: nodes that are to be started, updated or ready. */
function unreadyText(started: readonly PoolNode[], { target }: CanaryFacts, count: number): string | undefined {
  const open = started.find((node) => !isUpdated(node, target) || node.unreadiness !== undefined);
  if (open !== undefined) return problemOf(open);
  return started.length < count ? `${started.length} of ${count} canary nodes are started` : undefined;
}

/** All are updated and ready: others wait until that has lasted. Undefined once it has. */
function baking(
  names: readonly string[],
  readySince: string | undefined,
  { bake, nowMs }: Bake,
): CanaryState | undefined {
  // In whole seconds, as the status notes it. Where the clock was set back, it begins again.
  const wholeNowMs = Date.parse(formatTimestamp(nowMs));
  const sinceMs = Math.min(Date.parse(readySince ?? '') || wholeNowMs, wholeNowMs);
  const leftMs = sinceMs + bake - nowMs;
  if (leftMs <= 0) return undefined;
  const until = formatTimestamp(nowMs + leftMs);
  const message = `canary: ${names.join(', ')} updated and ready; other nodes are started at ${until}`;
  const status = { nodes: names, readySince: formatTimestamp(sinceMs) };
  return { hold: waiting(message), againMs: leftMs, status };
}

const isWayBack = ({ status }: MachineConfigPool, target: string): boolean => status?.configuration?.name === target;

/** The first nodes are updated, and then watched for a time. What passed once stays so until there is another configuration, and the configuration that
 *  all nodes had last needs no canary: it is the way back.
 *  @throws TerminalError InvalidCanary
 *  @see docs/spec/machine-lifecycle.md#generic-node-updater */
export function canaryState(facts: CanaryFacts): CanaryState {
  const { pool, target, isSkipped, nowMs } = facts;
  const canary = pool.spec.rollout?.canary;
  if (canary === undefined) return {};
  const bake = bakeMs(canary.bake);
  const record = recordOf(pool, target);
  const started = startedNodes(facts);
  const names = namesOf(started);
  const passed = { status: { nodes: record.nodes ?? names, passed: true } };
  if (isSkipped || record.passed === true || isWayBack(pool, target)) return passed;
  const text = unreadyText(started, facts, canary.count);
  if (text !== undefined) return { limit: canary.count, hold: waiting(`canary: ${text}`), status: { nodes: names } };
  const state = baking(names, record.readySince, { bake, nowMs });
  return state === undefined ? passed : { ...state, limit: canary.count };
}
