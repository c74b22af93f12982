import { type MachineConfigPool, poolNames, rolloutGates } from '../../api/index.ts';
import { formatTimestamp } from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { skippedGates } from '../rollout-check/skip.ts';
import { chooseNodes } from './choice.ts';
import { nodesOf, type PoolRun, targetOf } from './context.ts';
import type { Hold } from './hold.ts';
import { windowState } from './maintenance-window.ts';
import { maxUnavailableOf } from './max-unavailable.ts';
import { readPools } from './membership.ts';

/** A kubelet may be so many minor versions older than the API server. */
const maxMinorsBehind = 3;

function windowHold(run: PoolRun): string | undefined {
  if (skippedGates(run.pool).has(rolloutGates.window)) return undefined;
  const nowMs = run.context.clock.now();
  const state = windowState(run.pool.spec.rollout?.maintenanceWindows ?? [], nowMs);
  const changeMs = state.isOpen ? state.untilMs : state.nextMs;
  if (Number.isFinite(changeMs)) requeueAfter(run, changeMs - nowMs);
  return state.isOpen ? undefined : `the next maintenance window opens at ${formatTimestamp(state.nextMs)}`;
}

function degradedHold({ context, pool }: PoolRun): string | undefined {
  const halting = readPools(context).find(({ metadata, spec, status }) => {
    if (metadata.name === pool.metadata.name || spec.rollout?.haltOnDegraded !== true) return false;
    return status?.conditions?.some(({ type, status: state }) => type === 'Degraded' && state === 'True') === true;
  });
  return halting && `pool ${halting.metadata.name} is degraded and halts other pools`;
}

/** Nodes of the pool of this name that are unavailable, or are about to be. */
function busyNodes(run: PoolRun, name: string): number {
  const pool = readPools(run.context).find(({ metadata }) => metadata.name === name);
  if (pool === undefined) return 0;
  const nodes = nodesOf(run.context, pool);
  return nodes.filter(({ isUnavailable }) => isUnavailable).length;
}

function waitingMasters(run: PoolRun, master: MachineConfigPool): number {
  const nodes = nodesOf(run.context, master);
  if (master.spec.paused === true || targetOf(master) === '') return 0;
  const facts = { target: targetOf(master), nodes, maxUnavailable: maxUnavailableOf(master, nodes.length) };
  return chooseNodes(facts).candidates.length;
}

/** A control plane of two nodes and an arbiter has one vote to lose: either a master or the arbiter is updated, masters first.
 *  @see docs/spec/machine-lifecycle.md#one-round-for-a-pool */
function arbiterHold(run: PoolRun): string | undefined {
  const { name } = run.pool.metadata;
  if (name === poolNames.master) {
    const busy = busyNodes(run, poolNames.arbiter);
    return busy === 0 ? undefined : `${busy} arbiter nodes are unavailable`;
  }
  if (name !== poolNames.arbiter) return undefined;
  const master = readPools(run.context).find(({ metadata }) => metadata.name === poolNames.master);
  if (master === undefined) return undefined;
  const waiting = busyNodes(run, poolNames.master) + waitingMasters(run, master);
  return waiting === 0 ? undefined : `deferring arbiter updates until ${waiting} master node(s) complete their updates`;
}

function versionOf(text: string): readonly [major: number, minor: number] | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(text) ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
}

/** Why a kubelet of this version may not run with the API server; undefined if it may. */
function skewProblem(kubelet: string, server: string): string | undefined {
  const [own, other] = [versionOf(kubelet), versionOf(server)];
  if (own === undefined || other === undefined) return undefined;
  const ahead = own[0] === other[0] ? own[1] - other[1] : (own[0] - other[0]) * 1000;
  if (ahead > 0) return `kubelet ${kubelet} would be newer than the API server ${server}`;
  return ahead < -maxMinorsBehind
    ? `kubelet ${kubelet} would be more than ${maxMinorsBehind} minor versions older than the API server ${server}`
    : undefined;
}

async function skewHold({ context, pool }: PoolRun, signal: AbortSignal): Promise<string | undefined> {
  const spec = context.configs.get(targetOf(pool))?.['spec'] as { kubernetesVersion?: string } | undefined;
  if (spec?.kubernetesVersion === undefined) return undefined;
  return skewProblem(spec.kubernetesVersion, await context.kube.serverVersion({ signal }));
}

/** Why no node of the pool may be started now, although there is capacity; undefined if it may.
 *  @throws TerminalError InvalidWindow, InvalidMaxUnavailable */
export async function holdOf(run: PoolRun, signal: AbortSignal): Promise<Hold | undefined> {
  const rules = [
    ['arbiter', 'arbiter', () => arbiterHold(run)],
    ['degraded-pool', 'degraded-pool', () => degradedHold(run)],
    ['window', rolloutGates.window, () => windowHold(run)],
    ['skew', 'version-skew', () => skewHold(run, signal)],
  ] as const;
  for (const [kind, gate, evaluate] of rules) {
    const message = await evaluate();
    if (message !== undefined) return { kind, gate, message };
  }
  return undefined;
}
