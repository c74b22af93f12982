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
import {
  type Cluster,
  type KubeObject,
  matchesLabelSelector,
  type ObjectSummary,
  type OwnerReference,
} from '../core/index.ts';
import { countOf, isPodReady, keyOf, keyText, type SimulationContext } from './simulated.ts';

const as = 'system:serviceaccount:kube-system:disruption-controller';
const owners: Readonly<Record<string, readonly [plural: string, group: string]>> = {
  ReplicaSet: ['replicasets', 'apps'],
  StatefulSet: ['statefulsets', 'apps'],
  Deployment: ['deployments', 'apps'],
  ReplicationController: ['replicationcontrollers', ''],
};

function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** What decides how many pods there are. */
interface Workload {
  readonly uid: string;
  readonly replicas: number;
  readonly controller: OwnerReference | undefined;
}

/** The workloads of a namespace, each read once for all of its pods: it may be large. */
class Workloads {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #known = new Map<string, Workload | undefined>();

  constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** The workload that in the end decides how many of the pod there are: the Deployment of its ReplicaSet, or what controls it. No further, as users may
   *  write owner references in a circle. */
  async of(pod: KubeObject): Promise<Workload | undefined> {
    const controller = await this.#find(controllerOf(pod));
    return (await this.#find(controller?.controller)) ?? controller;
  }

  async #find(reference: OwnerReference | undefined): Promise<Workload | undefined> {
    if (reference === undefined) return undefined;
    const key = `${reference.uid} ${reference.kind} ${reference.name}`;
    if (!this.#known.has(key)) {
      await this.#cluster.takeTurn();
      this.#known.set(key, this.#read(reference));
    }
    return this.#known.get(key);
  }

  #read({ kind, name, uid }: OwnerReference): Workload | undefined {
    const place = Object.hasOwn(owners, kind) ? owners[kind] : undefined;
    if (place === undefined) return undefined;
    const found = this.#cluster.get(typeOf(this.#cluster, ...place), { namespace: this.#namespace, name });
    if (found === undefined || found.metadata.uid !== uid) return undefined;
    return { uid, replicas: countOf(specOf(found).replicas, 1), controller: controllerOf(found) };
  }
}

/** How many pods the workloads of these pods want; undefined when one of them has none. */
async function expectedPods(workloads: Workloads, pods: readonly KubeObject[]): Promise<number | undefined> {
  const expected = new Map<string, number>();
  for (const pod of pods) {
    const workload = await workloads.of(pod);
    if (workload === undefined) return undefined;
    expected.set(workload.uid, workload.replicas);
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

async function needOf(cluster: Cluster, budget: KubeObject, pods: readonly KubeObject[]): Promise<Need | undefined> {
  const { maxUnavailable, minAvailable } = specOf(budget);
  if (typeof minAvailable === 'number') return { expected: pods.length, desired: minAvailable };
  const expected = await expectedPods(new Workloads(cluster, budget.metadata.namespace ?? ''), pods);
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

async function statusFor(
  context: SimulationContext,
  budget: KubeObject,
  pods: readonly KubeObject[],
): Promise<JsonObject> {
  // Without one nothing is needed.
  const need = (await needOf(context.cluster, budget, pods)) ?? { expected: 0, desired: 0 };
  const disruptedPods = disruptedOf(budget, pods);
  const currentHealthy = pods.filter((pod) => isHealthy(pod, disruptedPods)).length;
  const allowed = need.expected > 0 ? Math.max(0, currentHealthy - need.desired) : 0;
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
  const status = await statusFor(context, budget, own);
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
