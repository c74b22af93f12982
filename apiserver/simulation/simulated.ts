import { createHash } from 'node:crypto';
import {
  type Clock,
  formatTimestamp,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../src/base/index.ts';
import { listInTurns, objectsIn, specOf, statusOf } from '../controllers/index.ts';
import type { Cluster, KubeObject, ObjectKey, ObjectSummary, ResourceType } from '../core/index.ts';
import { suffixAlphabet } from '../registry/index.ts';

/** On a workload, its pod template or a pod: `fail` keeps its pods crashing. Deployments then exceed their progress deadline at once,
 *  Jobs their back-off limit. Taking it away lets them recover. */
export const simulateAnnotation = 'apiserver.longshore.dev/simulate';

/** On a Job, its pod template or a pod of it: for how many seconds the pod runs before it ends. Without it the pod ends at once. */
export const runSecondsAnnotation = 'apiserver.longshore.dev/run-seconds';

/** Value of `simulateAnnotation` on a Node: pods run there as on the Node that there always is. */
export const simulatedNode = 'node';

/** What the simulated controllers are given. */
export interface SimulationContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** The clock's time in RFC 3339. */
  now(): string;
}

export function isSetToFail({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[simulateAnnotation] === 'fail';
}

/** Key of an object in a queue: `namespace/name`. */
export function keyText({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** The reverse of `keyText`. */
export function keyOf(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** 10 characters that stand for a JSON value, the same whatever the order of its keys; usable in names and labels. */
export function shortHash(value: JsonValue): string {
  const sorted = JSON.stringify(value, (_key, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
  const digest = createHash('sha256').update(sorted).digest();
  return [...digest.subarray(0, 10)].map((byte) => suffixAlphabet.charAt(byte % suffixAlphabet.length)).join('');
}

/** A whole number of a spec, or what it means when it is absent. */
export function countOf(value: JsonValue | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

/** Writes `/status` when it differs from what is there. Zero counts in `omitted` are left out, as the real controllers do.
 *  @throws StatusError 409 when the object changed meanwhile */
export async function writeStatus(
  cluster: Cluster,
  target: { readonly type: ResourceType; readonly object: KubeObject; readonly as: string },
  status: JsonObject,
): Promise<void> {
  const { type, object, as } = target;
  const entries = Object.entries(status).filter(([, value]) => value !== undefined);
  const next = Object.fromEntries(entries);
  if (isJsonEqual(statusOf(object), next)) return;
  await cluster.update(type, { ...object, status: next } as KubeObject, { as, subresource: 'status' });
}

/** A count as the real controllers write it: absent when zero. */
export function positive(count: number): number | undefined {
  return count > 0 ? count : undefined;
}

/** A condition to be; `lastTransitionTime` comes from the old one where the status stays. */
export interface Observation {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** The conditions that the observations do not speak of: other controllers own them. */
export function otherConditions(object: KubeObject, observations: readonly Observation[]): JsonObject[] {
  const own = new Set<unknown>(observations.map(({ type }) => type));
  return objectsIn(statusOf(object).conditions).filter(({ type }) => !own.has(type));
}

/** The observed conditions: old times stay where nothing changed. */
export function conditionsFrom(
  object: KubeObject,
  observations: readonly Observation[],
  options: { readonly now: string; readonly extra: readonly ('lastUpdateTime' | 'lastProbeTime')[] },
): JsonObject[] {
  const old = objectsIn(statusOf(object).conditions);
  return observations.map((observation): JsonObject => {
    const before = old.find(({ type }) => type === observation.type);
    if (before !== undefined && Object.entries(observation).every(([key, value]) => before[key] === value))
      return before;
    const isSameStatus = before?.status === observation.status;
    const since = isSameStatus ? (before.lastTransitionTime ?? options.now) : options.now;
    const extra = Object.fromEntries(
      options.extra.map((name) => [name, name === 'lastProbeTime' ? null : options.now]),
    );
    return { ...observation, ...extra, lastTransitionTime: since };
  });
}

/** Objects of `type` that `owner` controls. */
export async function childrenOf(cluster: Cluster, type: ResourceType, owner: KubeObject): Promise<KubeObject[]> {
  const { namespace = '', uid } = owner.metadata;
  const selects = ({ controllerUid }: ObjectSummary): boolean => controllerUid === uid;
  return await listInTurns(cluster, type, { namespace, selects });
}

/** The controlling reference to `owner`. */
export function controllerReference({ apiVersion, kind, metadata }: KubeObject): Readonly<{
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller: boolean;
  blockOwnerDeletion: boolean;
}> {
  const { name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The pod template of a workload. */
export function templateOf(workload: KubeObject): JsonObject {
  const { template } = specOf(workload);
  return isJsonObject(template) ? template : {};
}

export function isPodReady(pod: KubeObject): boolean {
  return objectsIn(statusOf(pod).conditions).some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** Whether the pod still counts: neither going nor done. */
export function isPodActive(pod: KubeObject): boolean {
  const { phase } = statusOf(pod);
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** The time now, in the form of every Kubernetes timestamp. */
export function timestampOf(nowMs: number): string {
  return formatTimestamp(nowMs);
}
