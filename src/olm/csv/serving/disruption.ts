import type { ClusterServiceVersion } from '../../../api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../../base/index.ts';
import { isForbidden, type KubeObject } from '../../../kube/index.ts';
import type { ServingContext } from './context.ts';

/** A Pod that has been disrupted for longer does not come back by itself. */
const maxDisruptionMs = 5 * 60_000;
/** Pods of one Deployment that are examined. */
const maxPods = 100;

const startingReasons = new Set(['ContainerCreating', 'PodInitializing']);
const failingReasons = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'InvalidImageName',
]);

function waitingReasons(status: JsonObject | undefined): readonly string[] {
  const containers = [...objectsAt(status, 'containerStatuses'), ...objectsAt(status, 'initContainerStatuses')];
  return containers.map((one) => textAt(objectAt(one, 'state', 'waiting'), 'reason'));
}

function isUnschedulable(status: JsonObject | undefined): boolean {
  return objectsAt(status, 'conditions').some(
    ({ type, status: value, reason }) => type === 'PodScheduled' && value === 'False' && reason === 'Unschedulable',
  );
}

/** Whether a Pod is just being replaced or started: row I4.
 *  @see docs/spec/olm-v0.md#state-machine */
export function isDisrupted(pod: KubeObject, nowMs: number): boolean {
  const { creationTimestamp, deletionTimestamp } = pod.metadata;
  if (nowMs - Date.parse(creationTimestamp ?? '') > maxDisruptionMs) return false;
  if (deletionTimestamp !== undefined) return true;
  const status = objectAt(pod as JsonObject, 'status');
  const reasons = waitingReasons(status);
  if (reasons.some((reason) => failingReasons.has(reason))) return false;
  if (reasons.some((reason) => startingReasons.has(reason))) return true;
  return textAt(status, 'phase') === 'Pending' && reasons.length === 0 && !isUnschedulable(status);
}

function isRollingOut(deployment: KubeObject): boolean {
  const status = objectAt(deployment as JsonObject, 'status') ?? {};
  const count = (key: string): number => (typeof status[key] === 'number' ? status[key] : 0);
  return count('unavailableReplicas') > 0 || count('updatedReplicas') < count('replicas');
}

function selectorText(deployment: KubeObject): string {
  const labels = objectAt(deployment as JsonObject, 'spec', 'selector', 'matchLabels') ?? {};
  return Object.keys(labels)
    .map((key) => `${key}=${textAt(labels, key)}`)
    .join(',');
}

async function hasDisruptedPod(
  { reader, clock }: ServingContext,
  deployment: KubeObject,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { namespace = '' } = deployment.metadata;
  const labelSelector = selectorText(deployment);
  if (labelSelector === '') return false;
  try {
    const { items } = await reader.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector }, { signal });
    return items.slice(0, maxPods).some((pod) => isDisrupted(pod, clock.now()));
  } catch (thrown) {
    if (isForbidden(thrown)) return false;
    throw thrown;
  }
}

/** Whether Pods of the operator are just being replaced. Asks the API server, but only about Deployments that lack Pods. */
export async function isBackendDisrupted(
  context: ServingContext,
  csv: ClusterServiceVersion,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const { name } of csv.spec.install.spec?.deployments ?? []) {
    const deployment = context.caches.deployments.get(name, csv.metadata.namespace);
    if (deployment === undefined || !isRollingOut(deployment)) continue;
    if (await hasDisruptedPod(context, deployment, signal)) return true;
  }
  return false;
}
