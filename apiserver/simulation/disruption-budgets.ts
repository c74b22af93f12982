import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import {
  type Controller,
  ignoreNotFound,
  listInTurns,
  objectsIn,
  specOf,
  statusOf,
  typeOf,
} from '../controllers/index.ts';
import { type Cluster, type KubeObject, matchesLabelSelector, type ObjectSummary } from '../core/index.ts';
import { countOf, isPodReady, keyOf, keyText, type SimulationContext } from './simulated.ts';

const as = 'system:serviceaccount:kube-system:disruption-controller';
const owners: Readonly<Record<string, readonly [plural: string, group: string]>> = {
  ReplicaSet: ['replicasets', 'apps'],
  StatefulSet: ['statefulsets', 'apps'],
  Deployment: ['deployments', 'apps'],
  ReplicationController: ['replicationcontrollers', ''],
};

function controllerOf(cluster: Cluster, object: KubeObject): KubeObject | undefined {
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const place = owner === undefined || !Object.hasOwn(owners, owner.kind) ? undefined : owners[owner.kind];
  if (owner === undefined || place === undefined) return undefined;
  const key = { namespace: object.metadata.namespace ?? '', name: owner.name };
  const found = cluster.get(typeOf(cluster, ...place), key);
  return found?.metadata.uid === owner.uid ? found : undefined;
}

/** The workload that in the end decides how many of the pod there are: the Deployment of its ReplicaSet, or what controls it. No further, as users may
 *  write owner references in a circle. */
function workloadOf(cluster: Cluster, pod: KubeObject): KubeObject | undefined {
  const controller = controllerOf(cluster, pod);
  return controller === undefined ? undefined : (controllerOf(cluster, controller) ?? controller);
}

/** How many pods the workloads of these pods want; undefined when one of them has none. */
function expectedPods(cluster: Cluster, pods: readonly KubeObject[]): number | undefined {
  const expected = new Map<string, number>();
  for (const pod of pods) {
    const workload = workloadOf(cluster, pod);
    if (workload === undefined) return undefined;
    expected.set(workload.metadata.uid ?? '', countOf(specOf(workload).replicas, 1));
  }
  return [...expected.values()].reduce((sum, count) => sum + count, 0);
}

/** A number of pods, or of percent of all, rounded up. */
function scaled(value: JsonValue | undefined, total: number): number {
  if (typeof value === 'number') return value;
  return Math.ceil((total * (Number.parseInt(typeof value === 'string' ? value : '0', 10) || 0)) / 100);
}

interface Need {
  readonly expected: number;
  readonly desired: number;
}

function needOf(cluster: Cluster, budget: KubeObject, pods: readonly KubeObject[]): Need | undefined {
  const { maxUnavailable, minAvailable } = specOf(budget);
  if (typeof minAvailable === 'number') return { expected: pods.length, desired: minAvailable };
  const expected = expectedPods(cluster, pods);
  if (expected === undefined) return undefined;
  if (minAvailable !== undefined) return { expected, desired: scaled(minAvailable, expected) };
  if (maxUnavailable === undefined) return { expected: 0, desired: 0 };
  return { expected, desired: Math.max(0, expected - scaled(maxUnavailable, expected)) };
}

function isHealthy(pod: KubeObject, disrupted: JsonObject): boolean {
  const isBeingDeleted = pod.metadata.deletionTimestamp !== undefined;
  return !isBeingDeleted && !Object.hasOwn(disrupted, pod.metadata.name ?? '') && isPodReady(pod);
}

function conditionFor(budget: KubeObject, allowed: number, now: string): JsonObject {
  const [status, reason] = allowed > 0 ? ['True', 'SufficientPods'] : ['False', 'InsufficientPods'];
  const old = objectsIn(statusOf(budget).conditions).find(({ type }) => type === 'DisruptionAllowed');
  return {
    type: 'DisruptionAllowed',
    status,
    reason,
    message: '',
    observedGeneration: budget.metadata.generation ?? 0,
    lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? now) : now,
  };
}

/** Evicted pods that are still there, and not for longer than it takes. */
function disruptedOf(budget: KubeObject, pods: readonly KubeObject[]): JsonObject {
  const { disruptedPods } = statusOf(budget);
  const there = new Set(pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(nameOf));
  const entries = Object.entries(isJsonObject(disruptedPods) ? disruptedPods : {});
  return Object.fromEntries(entries.filter(([name]) => there.has(name)));
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}

function statusFor(context: SimulationContext, budget: KubeObject, pods: readonly KubeObject[]): JsonObject {
  const need = needOf(context.cluster, budget, pods) ?? { expected: 0, desired: 0 };
  const disruptedPods = disruptedOf(budget, pods);
  const currentHealthy = pods.filter((pod) => isHealthy(pod, disruptedPods)).length;
  const isNeeded = need.expected > 0 && needOf(context.cluster, budget, pods) !== undefined;
  const allowed = isNeeded ? Math.max(0, currentHealthy - need.desired) : 0;
  return {
    observedGeneration: budget.metadata.generation ?? 0,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed: allowed,
    currentHealthy,
    desiredHealthy: need.desired,
    expectedPods: need.expected,
    conditions: [conditionFor(budget, allowed, context.now())],
  };
}

async function report(context: SimulationContext, budget: KubeObject): Promise<void> {
  const { cluster } = context;
  const type = typeOf(cluster, 'poddisruptionbudgets', 'policy');
  const { namespace = '', deletionTimestamp } = budget.metadata;
  if (deletionTimestamp !== undefined) return;
  const { selector } = specOf(budget);
  const selects = ({ labels }: ObjectSummary): boolean => matchesLabelSelector(selector, labels);
  const own = await listInTurns(cluster, typeOf(cluster, 'pods'), { namespace, selects });
  const status = statusFor(context, budget, own);
  if (isJsonEqual(statusOf(budget), status)) return;
  await cluster.update(type, { ...budget, status } as KubeObject, { as, subresource: 'status' });
}

/** Reports in each PodDisruptionBudget how many of its pods may be evicted. Pods that change do so together, and selectors may be large: for any number
 *  of changed pods all budgets of their namespace are looked at once, one by one. */
export function disruptionBudgetSimulation(context: SimulationContext): Controller {
  const { cluster } = context;
  const type = typeOf(cluster, 'poddisruptionbudgets', 'policy');
  const pods = typeOf(cluster, 'pods');
  return {
    name: 'simulated-disruption-budgets',
    keysOf: ({ resource, object }) => {
      if (resource.storageKey === type.storageKey) return [keyText(object)];
      return resource.storageKey === pods.storageKey ? [`${object.metadata.namespace ?? ''}/`] : [];
    },
    work: async (text) => {
      const { namespace, name } = keyOf(text);
      const one = name === '' ? undefined : cluster.get(type, { namespace, name });
      if (one !== undefined) await report(context, one);
      if (name !== '') return;
      for await (const budget of cluster.eachInTurns(type, { namespace })) {
        await ignoreNotFound(report(context, budget));
      }
    },
  };
}
