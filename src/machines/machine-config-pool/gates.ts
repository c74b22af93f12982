import { rolloutGates } from '../../api/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { failedCheck } from '../rollout-check/check.ts';
import { gateTimeoutMs } from '../rollout-check/gate-timeout.ts';
import { skippedGates } from '../rollout-check/skip.ts';
import { type CanaryState, canaryState } from './canary.ts';
import { type PoolRun, targetOf } from './context.ts';
import { checkPollMs, type Hold } from './hold.ts';
import { isUpdated, type PoolNode } from './pool-node.ts';

/** How far the first nodes are.
 *  @throws TerminalError InvalidCanary */
export function evaluateCanary(run: PoolRun): CanaryState {
  const { pool, nodes, context } = run;
  const isSkipped = skippedGates(pool).has(rolloutGates.canary);
  const state = canaryState({ pool, target: targetOf(pool), nodes, isSkipped, nowMs: context.clock.now() });
  if (state.againMs !== undefined) requeueAfter(run, state.againMs);
  return state;
}

function machinesHold({ context, pool }: PoolRun): Hold | undefined {
  if (context.hasMachines || pool.spec.rollout?.action !== 'MachineReplace') return undefined;
  const message = 'the action MachineReplace needs the kind Machine, which the cluster does not serve';
  return { kind: 'invalid', gate: 'machines', message };
}

/** With checks before batches, nodes go in batches: the next one waits for the end of the last. */
function openBatch({ pool, nodes }: PoolRun): Hold | undefined {
  const target = targetOf(pool);
  const isReplacing = pool.spec.rollout?.action === 'MachineReplace';
  const open = nodes.filter(
    (node) => (node.desired === target && !isUpdated(node, target)) || (isReplacing && node.isLeaving),
  );
  const [first] = open;
  if (first === undefined) return undefined;
  const others = open.length === 1 ? '' : ` and ${open.length - 1} others`;
  return { kind: 'batch', gate: 'batch', message: `the batch of ${first.name}${others} is not completed` };
}

async function batchHold(run: PoolRun, signal: AbortSignal): Promise<Hold | undefined> {
  const { context, pool, nodes } = run;
  const target = targetOf(pool);
  const open = openBatch(run);
  if (open !== undefined) return open;
  const updated = nodes.filter((node) => isUpdated(node, target)).map(({ uid }) => uid);
  const failed = await failedCheck({
    kube: context.kube,
    pool,
    nodes: nodes.map(({ name }) => context.nodes.get(name)).filter((node) => node !== undefined),
    subject: `${target} ${updated.toSorted().join(' ')}`,
    timeoutMs: gateTimeoutMs(pool),
    skipped: skippedGates(pool),
    nowMs: context.clock.now(),
    signal,
  });
  if (failed === undefined) return undefined;
  requeueAfter(run, checkPollMs);
  const { name, message } = failed;
  return { kind: 'check', gate: name, message: `check ${name}: ${message}` };
}

/** What keeps the nodes that were chosen from being started: the canary, or a check before the batch. */
export async function gateHold(
  run: PoolRun,
  chosen: readonly PoolNode[],
  signal: AbortSignal,
): Promise<Hold | undefined> {
  const hold = machinesHold(run) ?? (chosen.length === 0 ? run.canary?.hold : undefined);
  if (hold !== undefined) return hold;
  const { checks = [] } = run.pool.spec.rollout?.gates ?? {};
  if (!checks.some(({ when }) => when === 'BeforeBatch')) return undefined;
  return chosen.length === 0 ? openBatch(run) : await batchHold(run, signal);
}
