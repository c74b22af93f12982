import { machineAnnotations, nodeUpdateAnnotations, poolNames, updateInProgressTaint } from '../../api/index.ts';
import { formatTimestamp, isJsonObject, type JsonObject, mapLimit, objectsAt, textAt } from '../../base/index.ts';
import type { Step } from '../../controller/index.ts';
import { isNotFound, type KubeObject, preconditionOf, refOf } from '../../kube/index.ts';
import { drainableNodes } from './budget-gate.ts';
import { type Choice, chooseNodes } from './choice.ts';
import { nodesOf, type PoolRun, poolFieldManager, recordPool, targetOf } from './context.ts';
import { quorateNodes } from './etcd-gate.ts';
import { evaluateCanary, gateHold } from './gates.ts';
import type { GatedNodes } from './hold.ts';
import { holdOf } from './holds.ts';
import { maxUnavailableOf, quorumLimit } from './max-unavailable.ts';
import { type PoolNode, poolNode } from './pool-node.ts';
import { replaceMachine } from './replace-machine.ts';

/** Nodes that are written at a time. */
const parallel = 10;
/** How long health checks leave a node alone once its update has begun. */
const healthCheckPauseMs = 2 * 3_600_000;
/** Pods of the programs that update nodes: their node goes last, where there is one. */
const operatorPods = ['k8s-app', 'machine-config-operator'] as const;

function maxUnavailable(run: PoolRun): number {
  const { pool, nodes } = run;
  const staying = nodes.filter(({ isLeaving }) => !isLeaving).length;
  const most = maxUnavailableOf(pool, staying);
  if (pool.metadata.name !== poolNames.master || pool.spec.rollout?.allowQuorumLoss === true) return most;
  const limit = quorumLimit(staying);
  if (most <= limit) return most;
  const message = `maxUnavailable ${String(pool.spec.maxUnavailable)} of ${staying} control plane nodes would lose the quorum; ${limit} is used. Set spec.rollout.allowQuorumLoss to allow it.`;
  recordPool(run, { type: 'Warning', reason: 'MaxUnavailableExceedsQuorum', message });
  return limit;
}

/** The node of the operator, where exactly one pod of it runs. */
function operatorNodes({ context }: PoolRun): ReadonlySet<string> {
  const pods = context.pods.labelled(...operatorPods);
  const [pod] = pods;
  const spec = pod?.['spec'];
  return new Set(pods.length === 1 && isJsonObject(spec) ? [textAt(spec, 'nodeName')] : []);
}

function choose(run: PoolRun, excluded: ReadonlySet<string>): Choice {
  const { pool, nodes } = run;
  const { maxUnavailablePerZone, zoneByZone, order } = pool.spec.rollout ?? {};
  const { label } = order ?? {};
  if (label !== undefined && !nodes.some(({ labels }) => Object.hasOwn(labels, label))) {
    const message = `no node of the pool has the label ${label} of spec.rollout.order: nodes go by zone and age`;
    recordPool(run, { type: 'Warning', reason: 'NoOrderLabel', message });
  }
  const choice = chooseNodes({
    target: targetOf(pool),
    nodes,
    maxUnavailable: maxUnavailable(run),
    maxUnavailablePerZone,
    zoneByZone,
    order,
    startLimit: run.canary?.limit,
    excluded,
    ...(pool.metadata.name === poolNames.master ? { deferred: operatorNodes(run) } : {}),
  });
  for (const { name } of choice.deferred) {
    const message = `Deferring update of machine config operator node ${name}`;
    recordPool(run, { type: 'Normal', reason: 'DeferringOperatorNodeUpdate', message });
  }
  return choice;
}

function taintsOf(node: KubeObject): readonly JsonObject[] {
  return objectsAt(isJsonObject(node['spec']) ? node['spec'] : undefined, 'taints');
}

function isUpdateTaint(taint: JsonObject): boolean {
  return textAt(taint, 'key') === updateInProgressTaint.key && textAt(taint, 'effect') === updateInProgressTaint.effect;
}

/** The taints that the node is to have; undefined if it has them. One that waits has that of nodes in an update. */
function taintsFor(node: KubeObject, target: string, isChosen: boolean): readonly JsonObject[] | undefined {
  const { desired, hasTaint, hasImages } = poolNode(node);
  const isTainted = (!isChosen && desired !== target) || hasImages;
  if (isTainted === hasTaint) return undefined;
  const others = taintsOf(node).filter((taint) => !isUpdateTaint(taint));
  return isTainted ? [...others, { ...updateInProgressTaint }] : others;
}

/** The target of a node that starts, and whether health checks leave it alone. */
function annotationsFor(run: PoolRun, node: KubeObject, isChosen: boolean): JsonObject {
  const { nodeUpdateInProgress } = machineAnnotations;
  if (isChosen) {
    return {
      [nodeUpdateAnnotations.desiredConfig]: targetOf(run.pool),
      [nodeUpdateAnnotations.desiredImage]: null,
      [nodeUpdateInProgress]: formatTimestamp(run.context.clock.now() + healthCheckPauseMs),
    };
  }
  const isOver = poolNode(node).isDone && node.metadata.annotations?.[nodeUpdateInProgress] !== undefined;
  return isOver ? { [nodeUpdateInProgress]: null } : {};
}

/** What a round changes on a node; undefined if it changes nothing. */
function patchOf(run: PoolRun, node: KubeObject, isChosen: boolean): JsonObject | undefined {
  const annotations = annotationsFor(run, node, isChosen);
  const taints = taintsFor(node, targetOf(run.pool), isChosen);
  if (Object.keys(annotations).length === 0 && taints === undefined) return undefined;
  const metadata = { ...preconditionOf(node), annotations };
  return taints === undefined ? { metadata } : { metadata, spec: { taints: [...taints] } };
}

async function writeNode(
  run: PoolRun,
  { name, uid }: PoolNode,
  options: { isChosen: boolean; signal: AbortSignal },
): Promise<void> {
  const { kube, nodes } = run.context;
  const node = nodes.get(name);
  // Another node may have the name by now.
  if (node === undefined || node.metadata.uid !== uid) return;
  const patch = patchOf(run, node, options.isChosen);
  if (patch === undefined) return;
  try {
    nodes.wrote(await kube.patch(refOf(node), patch, { fieldManager: poolFieldManager, signal: options.signal }));
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

async function writeNodes(run: PoolRun, chosen: readonly PoolNode[], signal: AbortSignal): Promise<void> {
  const names = new Set(chosen.map(({ name }) => name));
  const others = run.nodes.filter(({ name, isLeaving }) => !names.has(name) && !isLeaving);
  // One after the other: a round that is interrupted has started fewer nodes, never more.
  const isReplacing = run.pool.spec.rollout?.action === 'MachineReplace';
  for (const node of chosen) {
    await (isReplacing ? replaceMachine(run, node, signal) : writeNode(run, node, { isChosen: true, signal }));
  }
  const [first] = chosen;
  if (first !== undefined) {
    const target = `MachineConfig: ${targetOf(run.pool)}`;
    const message =
      chosen.length === 1
        ? `Targeted node ${first.name} to ${target}`
        : `Set target for ${chosen.length} nodes to ${target}`;
    recordPool(run, { type: 'Normal', reason: 'SetDesiredConfig', message });
  }
  await mapLimit(others, parallel, (node) => writeNode(run, node, { isChosen: false, signal }));
}

/** The nodes that may start, and why none does where there are some that could. */
async function startable(run: PoolRun, signal: AbortSignal): Promise<GatedNodes> {
  const { chosen } = choose(run, new Set());
  const hold = await holdOf(run, signal);
  if (hold !== undefined) return { chosen: [], hold };
  const drainable = drainableNodes(run, chosen, (excluded) => choose(run, excluded).chosen);
  if (drainable.hold !== undefined) return drainable;
  const quorate = await quorateNodes(run, drainable.chosen, signal);
  if (quorate.hold !== undefined) return quorate;
  const gate = await gateHold(run, quorate.chosen, signal);
  return gate === undefined ? quorate : { chosen: [], hold: gate };
}

/** Starts as many nodes as the pool may have unavailable.
 *  @see docs/spec/machine-lifecycle.md#one-round-for-a-pool */
export const startNodes: Step<PoolRun> = async (run, { signal }) => {
  const { pool, object } = run;
  if (object.metadata.deletionTimestamp !== undefined) return;
  run.canary = evaluateCanary(run);
  if (pool.spec.paused === true) return;
  const { chosen, hold } = await startable(run, signal);
  await writeNodes(run, chosen, signal);
  const target = targetOf(pool);
  const isWaiting = run.nodes.some(({ desired, isLeaving }) => desired !== target && !isLeaving);
  if (hold !== undefined && isWaiting) run.hold = hold;
  run.nodes = nodesOf(run.context, pool);
};
