import { type MachineConfigPool, nodeUpdateAnnotations, rolloutGates } from '../../api/index.ts';
import { isJsonObject, type JsonObject, objectsAt, textAt } from '../../base/index.ts';
import type { KindCache, KubeClient, KubeObject } from '../../kube/index.ts';
import { readySinceMs } from '../nodes.ts';
import { failedCheck } from '../rollout-check/check.ts';
import { gateTimeoutMs } from '../rollout-check/gate-timeout.ts';
import { skippedGates } from '../rollout-check/skip.ts';

type Gates = NonNullable<NonNullable<MachineConfigPool['spec']['rollout']>['gates']>;

const dayMs = 86_400_000;
/** How often a gate is evaluated that no watch shows. */
const pollMs = 5_000;

/** Why a node does not count as updated yet, and when to evaluate that again. */
export interface GateProblem {
  readonly message: string;
  readonly againMs: number;
  /** It will not pass by waiting. */
  readonly isFinal?: boolean;
}

function readyProblem(node: KubeObject, readySeconds: number, nowMs: number): GateProblem | undefined {
  const { name = '' } = node.metadata;
  const since = readySinceMs(node);
  if (since === undefined) return { message: `node ${name} is not ready`, againMs: pollMs };
  const leftMs = since + readySeconds * 1000 - nowMs;
  if (leftMs <= 0) return undefined;
  return { message: `node ${name} has not been ready for ${readySeconds} s yet`, againMs: Math.min(leftMs + 1, dayMs) };
}

function isReady({ status }: KubeObject): boolean {
  const conditions = objectsAt(isJsonObject(status) ? status : undefined, 'conditions');
  return conditions.some((one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True');
}

/** Owner references are input: the DaemonSet of that uid must exist. */
function isOfDaemonSet({ metadata }: KubeObject, { daemonSets }: GateContext): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.kind !== 'DaemonSet' || owner.apiVersion !== 'apps/v1') return false;
  return daemonSets.get(owner.name, metadata.namespace)?.metadata.uid === owner.uid;
}

/** Pods of DaemonSets of all namespaces count, also of those that users have created: what one of them holds is shown, and an administrator skips it. */
async function daemonSetProblem(
  node: string,
  pool: MachineConfigPool,
  context: GateContext,
): Promise<GateProblem | undefined> {
  if (skippedGates(pool).has(rolloutGates.daemonSets)) return undefined;
  const target = { apiVersion: 'v1', kind: 'Pod', fieldSelector: `spec.nodeName=${node}` };
  const { items } = await context.kube.list(target, { signal: context.signal });
  const open = items.filter((pod) => isOfDaemonSet(pod, context) && !isReady(pod));
  const [first] = open;
  if (first === undefined) return undefined;
  const { namespace = '', name: pod = '' } = first.metadata;
  const others = open.length === 1 ? '' : ` and ${open.length - 1} others`;
  const hint = `To go on without it: longshore pool skip ${pool.metadata.name} ${rolloutGates.daemonSets}`;
  return { message: `pod ${namespace}/${pod}${others} of a DaemonSet not ready. ${hint}`, againMs: pollMs };
}

interface GateContext {
  readonly kube: KubeClient;
  readonly daemonSets: KindCache;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

async function checkProblem(
  node: KubeObject,
  pool: MachineConfigPool,
  context: GateContext,
): Promise<GateProblem | undefined> {
  const { uid = '', annotations } = node.metadata;
  const failed = await failedCheck({
    ...context,
    pool,
    node,
    subject: `${annotations?.[nodeUpdateAnnotations.desiredConfig] ?? ''} ${uid}`,
    timeoutMs: gateTimeoutMs(pool),
    skipped: skippedGates(pool),
  });
  if (failed === undefined) return undefined;
  const { name, message, isFinal = false } = failed;
  return { message: `check ${name}: ${message}`, againMs: pollMs, isFinal };
}

/** What keeps the node from counting as updated; undefined when all gates pass. */
export async function gateProblem(
  node: KubeObject,
  pool: MachineConfigPool,
  context: GateContext,
): Promise<GateProblem | undefined> {
  const { readySeconds, daemonSetsReady = false } = (pool.spec.rollout?.gates ?? {}) as Gates & JsonObject;
  const name = node.metadata.name ?? '';
  return (
    (readySeconds === undefined ? undefined : readyProblem(node, readySeconds, context.nowMs)) ??
    (daemonSetsReady ? await daemonSetProblem(name, pool, context) : undefined) ??
    (await checkProblem(node, pool, context))
  );
}
