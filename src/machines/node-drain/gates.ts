import type { MachineConfigPool } from '../../api/index.ts';
import { isJsonObject, type JsonObject, objectsAt, parseGoDuration, textAt } from '../../base/index.ts';
import type { KubeClient, KubeObject } from '../../kube/index.ts';
import { readySinceMs } from '../nodes.ts';

type Gates = NonNullable<NonNullable<MachineConfigPool['spec']['rollout']>['gates']>;

const defaultTimeoutMs = 600_000;
const dayMs = 86_400_000;
/** How often a gate is evaluated that no watch shows. */
const pollMs = 5_000;

/** Why a node does not count as updated yet, and when to evaluate that again. */
export interface GateProblem {
  readonly message: string;
  readonly againMs: number;
}

/** How long gates may stay closed before the node is degraded. */
export function gateTimeoutMs({ timeout }: Gates): number {
  const ms = timeout === undefined ? defaultTimeoutMs : Number(parseGoDuration(timeout) ?? 0n) / 1e6;
  return ms > 0 ? Math.min(ms, dayMs) : defaultTimeoutMs;
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

function isOfDaemonSet({ metadata }: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true) === true;
}

async function daemonSetProblem(kube: KubeClient, name: string, signal: AbortSignal): Promise<GateProblem | undefined> {
  const { items } = await kube.list(
    { apiVersion: 'v1', kind: 'Pod', fieldSelector: `spec.nodeName=${name}` },
    { signal },
  );
  const open = items.filter((pod) => isOfDaemonSet(pod) && !isReady(pod));
  const [first] = open;
  if (first === undefined) return undefined;
  const { namespace = '', name: pod = '' } = first.metadata;
  const others = open.length === 1 ? '' : ` and ${open.length - 1} others`;
  return { message: `pod ${namespace}/${pod}${others} of a DaemonSet not ready`, againMs: pollMs };
}

/** What keeps the node from counting as updated; undefined when all gates pass. */
export async function gateProblem(
  node: KubeObject,
  gates: Gates,
  { kube, nowMs, signal }: { readonly kube: KubeClient; readonly nowMs: number; readonly signal: AbortSignal },
): Promise<GateProblem | undefined> {
  const { readySeconds, daemonSetsReady = false } = gates as Gates & JsonObject;
  const problem = readySeconds === undefined ? undefined : readyProblem(node, readySeconds, nowMs);
  if (problem !== undefined || !daemonSetsReady) return problem;
  return await daemonSetProblem(kube, node.metadata.name ?? '', signal);
}
