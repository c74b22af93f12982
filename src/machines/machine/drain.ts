import { formatTimestamp, type JsonObject } from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import {
  type BlockedPod,
  budgetsOf,
  cordon,
  Drainer,
  type DrainProgress,
  describeBlocked,
  isUnreachable,
  isUnschedulable,
  livePodsOn,
  neverAllows,
  planLive,
} from '../../drain/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { drainedCondition, isTrue } from '../conditions.ts';
import {
  excludesDrain,
  type MachineContext,
  type MachineRun,
  machineFieldManager,
  record,
  setConditions,
  setStatus,
} from './context.ts';
import { isControlPlane, nodeOf } from './node.ts';

/** Who cordons, in the annotation of the Node. */
const drainActor = 'machine-drain';
/** A drain that another node of the control plane holds up is tried again after this time. */
const guardMs = 20_000;
/** Pods that block, in the status. */
const maxBlocking = 20;
/** Whether another node of the control plane is cordoned, by whomever: only one at a time may go. */
function isGuarded(node: KubeObject, { nodes }: MachineContext): boolean {
  if (!isControlPlane(node) || isUnschedulable(node)) return false;
  const others = nodes.values().filter(({ metadata }) => metadata.name !== node.metadata.name);
  return others.some((other) => isControlPlane(other) && isUnschedulable(other));
}

function drainerOf({ context, object }: MachineRun): Drainer {
  const uid = object.metadata.uid ?? '';
  const { kube, clock, budgets, drainers } = context;
  const drainer =
    drainers.get(uid) ??
    new Drainer({ kube, clock, budgetsOf: (pod) => budgetsOf(pod, budgets.inNamespace(pod.namespace)) });
  drainers.set(uid, drainer);
  return drainer;
}

function finish(run: MachineRun, message: 'Drain finished successfully' | 'Node drain skipped'): void {
  run.context.drainers.delete(run.object.metadata.uid ?? '');
  setConditions(run, [drainedCondition({ message })]);
  setStatus(run, { drain: null });
}

/** A pod that runs until it has completed is no failure, and may run for good. */
function wait(run: MachineRun, pods: readonly BlockedPod[]): void {
  const message = `Node drain waits until pods have completed: ${describeBlocked(pods)}`;
  setConditions(run, [{ type: 'Drained', status: 'False', severity: 'Info', reason: 'PodsAwaited', message }]);
  record(run, { type: 'Normal', reason: 'DrainWaits', message });
}

function hold(run: MachineRun, error: string): void {
  setConditions(run, [drainedCondition({ error })]);
  record(run, { type: 'Normal', reason: 'DrainRequeued', message: `Node drain requeued: ${error}` });
}

/** Budgets that allow no disruption whatever happens to their pods: someone must change them. */
function warnOfDeadlocks(run: MachineRun, blocking: readonly BlockedPod[]): void {
  const held = blocking.filter(({ kind }) => kind === 'budget');
  const budgets = held.flatMap(({ pod }) => budgetsOf(pod, run.context.budgets.inNamespace(pod.namespace)));
  const names = new Set(budgets.filter(neverAllows).map(({ namespace, name }) => `${namespace}/${name}`));
  if (names.size === 0) return;
  const message = `PodDisruptionBudgets that allow no disruption, even when all their pods are healthy: ${[...names].slice(0, 5).join(', ')}`;
  record(run, { type: 'Warning', reason: 'PodDisruptionBudgetDeadlock', message });
}

function report(run: MachineRun, { remaining, blocking }: DrainProgress, attempts: number): void {
  const shown = blocking.slice(0, maxBlocking);
  const drain: JsonObject = {
    startedAt: run.machine.status?.drain?.startedAt ?? formatTimestamp(run.context.clock.now()),
    attempts,
    remaining,
    blocking: shown.map(({ pod, cause }) => ({ pod: `${pod.namespace}/${pod.name}`, cause })),
  };
  setStatus(run, { drain });
  warnOfDeadlocks(run, blocking);
  const held = blocking.filter(({ kind }) => kind !== 'terminating' && kind !== 'waitCompleted');
  const awaited = blocking.filter(({ kind }) => kind === 'waitCompleted');
  if (held.length > 0) hold(run, describeBlocked([...held, ...awaited]));
  else if (awaited.length > 0) wait(run, awaited);
}

async function evictPods(run: MachineRun, node: KubeObject, signal: AbortSignal): Promise<boolean> {
  const { context, machine } = run;
  const { name = '' } = node.metadata;
  const unreachable = isUnreachable(node);
  const drainer = drainerOf(run);
  const { labels: machineLabels = {} } = machine.metadata;
  const advance = async (pods: readonly KubeObject[]): Promise<DrainProgress> => {
    const nowMs = context.clock.now();
    const plan = await planLive({ ...context, pods, machineLabels, isUnreachable: unreachable, nowMs, signal });
    return await drainer.advance(plan, { isUnreachable: unreachable, signal });
  };
  let progress = await advance(context.podsOn.get(name));
  if (progress.isDone) progress = await advance(await livePodsOn(context.kube, name, { signal }));
  if (progress.isDone) return true;
  report(run, progress, drainer.attempts);
  if (progress.retryAfterMs !== undefined) requeueAfter(run, progress.retryAfterMs);
  // Pods that are being deleted on such a node are given up by age, which no watch shows.
  if (unreachable) requeueAfter(run, 2_000);
  return false;
}

async function drainNode(run: MachineRun, name: string, signal: AbortSignal): Promise<void> {
  const { kube, nodes } = run.context;
  if (!run.machine.status?.conditions?.some(({ type }) => type === 'Drained')) {
    record(run, { type: 'Normal', reason: 'DrainProceeds', message: 'Node drain proceeds' });
  }
  const node = await nodeOf(run, signal);
  if (node === undefined) {
    finish(run, 'Drain finished successfully');
    record(run, { type: 'Normal', reason: 'DrainSucceeded', message: 'Node drain succeeded' });
    return;
  }
  if (isGuarded(node, run.context)) {
    hold(run, 'drain not permitted: requeue in: 20s');
    requeueAfter(run, guardMs);
    return;
  }
  const cordoned = await cordon(kube, node, { actor: drainActor, fieldManager: machineFieldManager, signal });
  nodes.wrote(cordoned);
  if (!(await evictPods(run, cordoned, signal))) return;
  finish(run, 'Drain finished successfully');
  record(run, { type: 'Normal', reason: 'Deleted', message: `Node "${name}" drained` });
  record(run, { type: 'Normal', reason: 'DrainSucceeded', message: 'Node drain succeeded' });
}

/** Whether hooks hold the drain, or the release of a node that is not drained. */
function isHeld({ machine: { spec }, context: { settings } }: MachineRun, isSkipped: boolean): boolean {
  if ((spec?.lifecycleHooks?.preDrain ?? []).length === 0) return false;
  return !(isSkipped && settings.skipDrainIgnoresHooks === true);
}

/** Drains the node of a machine that is being deleted, a step further. `Drained` stays once it is True: pods that come later do not count.
 *  @see docs/spec/machine-lifecycle.md#44-algorithm-drain-controller */
export async function drain(run: MachineRun, signal: AbortSignal): Promise<void> {
  if (isTrue(run.machine, 'Drained')) return;
  const node = run.machine.status?.nodeRef?.name ?? '';
  const isSkipped = excludesDrain(run.machine) || node === '';
  if (isHeld(run, isSkipped)) {
    record(run, { type: 'Normal', reason: 'DrainBlocked', message: 'Drain blocked by pre-drain hook' });
  } else if (isSkipped) {
    finish(run, 'Node drain skipped');
    record(run, { type: 'Normal', reason: 'DrainSkipped', message: 'Node drain skipped' });
  } else {
    await drainNode(run, node, signal);
  }
}
