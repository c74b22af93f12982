import type { JsonObject } from '../../src/base/index.ts';
import { Appointments, type Controller, objectsIn, specOf, statusOf, typeOf } from '../controllers/index.ts';
import { type Cluster, type KubeObject, StatusError } from '../core/index.ts';
import { availabilityOf } from './availability.ts';
import { claimChildren, keysOfClaims } from './claiming.ts';
import { createPod, deletePod, passOnFailure } from './pod-set.ts';
import {
  childrenOf,
  countOf,
  isPodActive,
  isPodReady,
  keyOf,
  positive,
  type SimulationContext,
  writeStatus,
} from './simulated.ts';

/** A kind that keeps a number of pods, and who does so. */
interface ReplicaKind {
  readonly plural: string;
  readonly group: string;
  readonly as: string;
}

/** Not ready ones first, then the newest. */
function victims(pods: readonly KubeObject[], count: number): KubeObject[] {
  const rank = (pod: KubeObject): number => (isPodReady(pod) ? 1 : 0);
  const ordered = pods.toSorted(
    (a, b) =>
      rank(a) - rank(b) || (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
  );
  return ordered.slice(0, Math.max(0, count));
}

/** Creates pods until one is refused; gives the refusal. */
async function createMissing(
  cluster: Cluster,
  owner: KubeObject,
  options: { readonly count: number; readonly as: string },
): Promise<StatusError | undefined> {
  try {
    for (let missing = options.count; missing > 0; missing--) await createPod(cluster, owner, { as: options.as });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof StatusError && thrown.failure.code === 403) return thrown;
    throw thrown;
  }
}

/** `conditions` of a set whose pods are refused; the words of the first refusal stay. */
function failureOf(object: KubeObject, refusal: StatusError | undefined, now: string): JsonObject {
  if (refusal === undefined) return {};
  const before = objectsIn(statusOf(object)['conditions']).find(({ type }) => type === 'ReplicaFailure');
  const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: refusal.message };
  return { conditions: [before ?? { ...condition, lastTransitionTime: now }] };
}

/** Keeps as many pods as each object of the kind wants. */
function replicas(context: SimulationContext, { plural, group, as }: ReplicaKind): Controller {
  const { cluster } = context;
  const type = typeOf(cluster, plural, group);
  const pods = typeOf(cluster, 'pods');
  const activePods = async (owner: KubeObject): Promise<KubeObject[]> =>
    (await childrenOf(cluster, pods, owner)).filter(isPodActive);
  let waits: Appointments | undefined;
  return {
    name: `simulated-${plural}`,
    start: (again) => {
      waits = new Appointments(context.clock, again);
      return waits;
    },
    ...keysOfClaims(cluster, type, ['pods']),
    work: async (text) => {
      waits?.set(text, undefined);
      const object = cluster.get(type, keyOf(text));
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
      await claimChildren({ cluster, type: pods, owner: object, as, isPassedOver: (pod) => !isPodActive(pod) });
      const desired = countOf(specOf(object).replicas, 1);
      const present = await activePods(object);
      const refusal = await createMissing(cluster, object, { count: desired - present.length, as });
      for (const pod of victims(present, present.length - desired)) await deletePod(cluster, pod, as);
      const now = await activePods(object);
      await passOnFailure(cluster, object, { pods: now, as });
      const ready = now.filter(isPodReady).length;
      const minReadySeconds = countOf(specOf(object).minReadySeconds, 0);
      const { available, againInMs } = availabilityOf(now, minReadySeconds, context.clock.now());
      await writeStatus(
        cluster,
        { type, object: cluster.get(type, keyOf(text)) ?? object, as },
        {
          replicas: now.length,
          fullyLabeledReplicas: positive(now.length),
          readyReplicas: positive(ready),
          availableReplicas: positive(available),
          observedGeneration: object.metadata.generation,
          ...failureOf(object, refusal, context.now()),
        },
      );
      waits?.set(text, againInMs);
      // Retried with back-off.
      if (refusal !== undefined) throw refusal;
    },
  };
}

/** Keeps as many pods as a ReplicaSet wants. */
export function replicaSetSimulation(context: SimulationContext): Controller {
  const as = 'system:serviceaccount:kube-system:replicaset-controller';
  return replicas(context, { plural: 'replicasets', group: 'apps', as });
}

/** Keeps as many pods as a ReplicationController wants. */
export function replicationControllerSimulation(context: SimulationContext): Controller {
  const as = 'system:serviceaccount:kube-system:replication-controller';
  return replicas(context, { plural: 'replicationcontrollers', group: '', as });
}
