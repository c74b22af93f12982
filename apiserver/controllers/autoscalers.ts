import { type Clock, formatTimestamp, isJsonEqual, isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { type Cluster, groupResource, type KubeObject } from '../core/index.ts';
import { type Controller, ignoreNotFound, listInTurns, objectsIn, specOf, statusOf, typeOf } from './controller.ts';
import { PendingChanges } from './pending-changes.ts';

const as = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';
const group = 'autoscaling';
const noMetrics =
  'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)';

interface Observation {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

interface Target {
  readonly replicas: number | undefined;
  /** `deployments.apps "web"` */
  readonly title: string;
}

function referenceOf(scaler: KubeObject): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
} {
  const { scaleTargetRef } = specOf(scaler);
  const { apiVersion, kind, name } = isJsonObject(scaleTargetRef) ? scaleTargetRef : {};
  return { apiVersion: String(apiVersion as string), kind: String(kind as string), name: String(name as string) };
}

function targetOf(cluster: Cluster, scaler: KubeObject): Target {
  const { apiVersion, kind, name } = referenceOf(scaler);
  const type = cluster.resourceOfKind(groupOf(apiVersion), kind);
  if (type === undefined) return { replicas: undefined, title: `${kind} ${JSON.stringify(name)}` };
  const found = cluster.get(type, { namespace: scaler.metadata.namespace ?? '', name });
  const replicas = found === undefined ? undefined : Number(specOf(found)['replicas'] ?? 1);
  return { replicas, title: `${groupResource(type)} ${JSON.stringify(name)}` };
}

function observe({ replicas, title }: Target): Observation[] {
  if (replicas === undefined) {
    const message = `the HPA controller was unable to get the target's current scale: ${title} not found`;
    return [{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale', message }];
  }
  const message = "the HPA controller was able to get the target's current scale";
  const able: Observation = { type: 'AbleToScale', status: 'True', reason: 'SucceededGetScale', message };
  const active: Observation =
    replicas === 0
      ? {
          type: 'ScalingActive',
          status: 'False',
          reason: 'ScalingDisabled',
          message: 'scaling is disabled since the replica count of the target is zero',
        }
      : { type: 'ScalingActive', status: 'False', reason: 'FailedGetResourceMetric', message: noMetrics };
  return [able, active];
}

function withTimes(observations: readonly Observation[], old: readonly JsonObject[], now: string): JsonObject[] {
  return observations.map((observation) => {
    const before = old.find(({ type }) => type === observation.type);
    const isSame = before?.['status'] === observation.status;
    return { ...observation, lastTransitionTime: isSame ? (before?.['lastTransitionTime'] ?? now) : now };
  });
}

function newStatus(scaler: KubeObject, target: Target, now: string): JsonObject | undefined {
  const old = statusOf(scaler);
  const conditions = withTimes(observe(target), objectsIn(old['conditions']), now);
  const { replicas } = target;
  if (isJsonEqual(old['conditions'] ?? null, conditions) && old['currentReplicas'] === replicas) return undefined;
  if (replicas === undefined || replicas === 0) return { currentMetrics: null, desiredReplicas: 0, conditions };
  return { currentMetrics: [{ type: '' }], desiredReplicas: 0, currentReplicas: replicas, conditions };
}

/** Reports in autoscalers whether their targets exist. Nothing measures pods, so that nothing is scaled. */
export function autoscalers(cluster: Cluster, clock: Clock): Controller {
  const changedTargets = new PendingChanges<string>();
  return {
    name: 'horizontal-pod-autoscaler',
    keysOf: ({ resource, object }) => {
      const { namespace = '', name = '' } = object.metadata;
      if (resource.storageKey === `horizontalpodautoscalers.${group}`) return [`${namespace}/${name}`];
      if (!resource.subresources.some((sub) => sub.name === 'scale')) return [];
      return [changedTargets.add(namespace, name)];
    },
    concernedIn: async (namespace) => {
      const changes = changedTargets.take(namespace);
      const where = (scaler: KubeObject): boolean => changes?.includes(referenceOf(scaler).name) !== false;
      const type = typeOf(cluster, 'horizontalpodautoscalers', group);
      const scalers = await listInTurns(cluster, type, { namespace, where });
      return scalers.map(({ metadata }) => `${namespace}/${metadata.name}`);
    },
    work: async (key) => {
      const [namespace = '', name = ''] = key.split('/');
      const type = typeOf(cluster, 'horizontalpodautoscalers', group);
      const scaler = cluster.get(type, { namespace, name });
      if (scaler === undefined) return;
      const status = newStatus(scaler, targetOf(cluster, scaler), formatTimestamp(clock.now()));
      if (status === undefined) return;
      await ignoreNotFound(cluster.update(type, { ...scaler, status }, { as, subresource: 'status' }));
    },
  };
}
