import { nodeUpdateAnnotations } from '../../api/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { uncordon } from '../../drain/index.ts';
import { poolOfNode, readPools } from '../machine-config-pool/membership.ts';
import { gateTimeoutMs } from '../rollout-check/gate-timeout.ts';
import { annotate, type NodeDrainRun, nodeDrainActor, nodeDrainFieldManager, startedMs } from './context.ts';
import { gateProblem } from './gates.ts';

/** Whether the gates of the pool pass. A node whose gates stay closed is degraded, so that its pool starts no other one. */
async function passesGates(run: NodeDrainRun, signal: AbortSignal): Promise<boolean> {
  const { kube, clock, daemonSets, events } = run.context;
  const pool = poolOfNode(run.object, readPools(run.context));
  if (pool?.spec.rollout?.gates === undefined) return true;
  const begunMs = await startedMs(run, signal);
  const nowMs = clock.now();
  const problem = await gateProblem(run.object, pool, { kube, daemonSets, nowMs, signal });
  if (problem === undefined) return true;
  const dueMs = begunMs + gateTimeoutMs(pool);
  requeueAfter(run, Math.min(problem.againMs, Math.max(dueMs - nowMs, 1_000)));
  if (dueMs > nowMs && problem.isFinal !== true) return false;
  const reason = `the node was updated, but a gate of its pool does not pass: ${problem.message}`;
  const { state, reason: reasonKey } = nodeUpdateAnnotations;
  await annotate(run, { [state]: 'Degraded', [reasonKey]: reason }, signal);
  events.record(run.object, { type: 'Warning', reason: 'GateFailed', message: reason });
  return false;
}

/** Makes an updated node schedulable again, once the gates of its pool pass. A node that an administrator cordoned stays cordoned.
 *  @see docs/spec/machine-lifecycle.md#work-on-one-node */
export async function uncordonNode(run: NodeDrainRun, request: string, signal: AbortSignal): Promise<void> {
  if (!(await passesGates(run, signal))) return;
  const { kube, nodes } = run.context;
  const options = { actor: nodeDrainActor, fieldManager: nodeDrainFieldManager, signal };
  const written = await uncordon(kube, run.object, options);
  nodes.wrote(written);
  run.object = written;
  const { lastAppliedDrain, drainBlocked } = nodeUpdateAnnotations;
  await annotate(run, { [lastAppliedDrain]: request, [drainBlocked]: null }, signal);
}
