import { nodeUpdateAnnotations } from '../../api/index.ts';
import { TransientError } from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import {
  budgetsOf,
  cordon,
  Drainer,
  type DrainProgress,
  describeBlocked,
  isUnschedulable,
  livePodsOn,
  planLive,
} from '../../drain/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { annotate, type NodeDrainRun, nodeDrainActor, nodeDrainFieldManager, startedMs } from './context.ts';

const maxBlockedCharacters = 1024;

function drainerOf({ context, object }: NodeDrainRun): Drainer {
  const uid = object.metadata.uid ?? '';
  const { kube, clock, budgets, drainers, times } = context;
  const drainer =
    drainers.get(uid) ??
    new Drainer({
      kube,
      clock,
      budgetsOf: (pod) => budgetsOf(pod, budgets.inNamespace(pod.namespace)),
      maxRetryMs: times.slowRetryMs,
    });
  drainers.set(uid, drainer);
  return drainer;
}

/** Cordons the node, again if it was uncordoned meanwhile.
 *  @throws TransientError CordonFailed, when the server reports success and the node is schedulable all the same */
async function cordonNode(run: NodeDrainRun, signal: AbortSignal): Promise<void> {
  const { kube, nodes } = run.context;
  if (isUnschedulable(run.object)) return;
  const options = { actor: nodeDrainActor, fieldManager: nodeDrainFieldManager, signal };
  const written = await cordon(kube, run.object, options);
  nodes.wrote(written);
  run.object = written;
  if (isUnschedulable(written)) return;
  throw new TransientError('CordonFailed', `node ${written.metadata.name ?? ''}: cordoned, but still schedulable`);
}

function minutes(ms: number): string {
  return String(Math.round(ms / 60_000));
}

function goHours(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  return `${hours}h${Math.floor(ms / 60_000) % 60}m0s`;
}

/** Reports a drain that takes long. */
function warn(run: NodeDrainRun, ageMs: number, blocked: string): void {
  const { events, times } = run.context;
  const { name = '' } = run.object.metadata;
  if (ageMs > times.failedMs) {
    const message = `node ${name}: drain exceeded timeout: ${goHours(times.failedMs)}. Will continue to retry.`;
    events.record(run.object, { type: 'Warning', reason: 'DrainFailed', message });
  }
  if (ageMs > times.thresholdMs) {
    const message = `Drain failed. Drain has been failing for more than ${minutes(times.thresholdMs)} minutes. Waiting ${minutes(times.slowRetryMs)} minutes then retrying. Error message from drain: ${blocked}`;
    events.record(run.object, { type: 'Warning', reason: 'DrainThresholdExceeded', message });
  }
}

async function advance(run: NodeDrainRun, pods: readonly KubeObject[], signal: AbortSignal): Promise<DrainProgress> {
  const { context, object } = run;
  const [machine] = context.machinesOf.get(object.metadata.name ?? '');
  const machineLabels = machine === undefined ? undefined : (machine.metadata.labels ?? {});
  const plan = await planLive({ ...context, pods, machineLabels, nowMs: context.clock.now(), signal });
  return await drainerOf(run).advance(plan, { signal });
}

/** Takes the drain of a node further, and confirms it once no pod is left.
 *  @see docs/spec/machine-lifecycle.md#work-on-one-node */
export async function drainNode(run: NodeDrainRun, request: string, signal: AbortSignal): Promise<void> {
  const { context } = run;
  const begunMs = await startedMs(run, signal);
  await cordonNode(run, signal);
  const { name = '' } = run.object.metadata;
  let progress = await advance(run, context.podsOn.get(name), signal);
  if (progress.isDone) progress = await advance(run, await livePodsOn(context.kube, name, { signal }), signal);
  const { drainBlocked, lastAppliedDrain } = nodeUpdateAnnotations;
  if (progress.isDone) {
    context.drainers.delete(run.object.metadata.uid ?? '');
    // If it was uncordoned meanwhile, pods may have come: the write fails then, and the drain goes on.
    await annotate(run, { [lastAppliedDrain]: request, [drainBlocked]: null }, signal);
    return;
  }
  const held = progress.blocking.filter(({ kind }) => kind !== 'terminating');
  const blocked = describeBlocked(held.length > 0 ? held : progress.blocking);
  const ageMs = context.clock.now() - begunMs;
  warn(run, ageMs, blocked);
  if (progress.retryAfterMs !== undefined) requeueAfter(run, progress.retryAfterMs);
  // Thresholds are met although no pod changes.
  const { thresholdMs, failedMs, slowRetryMs } = context.times;
  const [next = ageMs + slowRetryMs] = [thresholdMs, failedMs].filter((ms) => ms >= ageMs);
  requeueAfter(run, next - ageMs + 1_000);
  await annotate(run, { [drainBlocked]: blocked.slice(0, maxBlockedCharacters) }, signal);
}
