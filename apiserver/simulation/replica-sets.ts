import { type Controller, specOf, typeOf } from '../controllers/controller.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { createPod, deletePod, passOnFailure } from './pod-set.ts';
import {
  childrenOf,
  countOf,
  isPodActive,
  isPodReady,
  keyOf,
  keysOfKind,
  positive,
  type SimulationContext,
  writeStatus,
} from './simulated.ts';

const as = 'system:serviceaccount:kube-system:replicaset-controller';

/** Not ready ones first, then the newest. */
function victims(pods: readonly KubeObject[], count: number): KubeObject[] {
  const rank = (pod: KubeObject): number => (isPodReady(pod) ? 1 : 0);
  const ordered = pods.toSorted(
    (a, b) =>
      rank(a) - rank(b) || (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
  );
  return ordered.slice(0, count);
}

/** Keeps as many pods as a ReplicaSet wants. */
export function replicaSetSimulation({ cluster }: SimulationContext): Controller {
  const type = typeOf(cluster, 'replicasets', 'apps');
  const pods = typeOf(cluster, 'pods');
  const activePods = (owner: KubeObject): KubeObject[] => childrenOf(cluster, pods, owner).filter(isPodActive);
  return {
    name: 'simulated-replicasets',
    keysOf: keysOfKind(type),
    work: async (text) => {
      const object = cluster.get(type, keyOf(text));
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
      const wanted = countOf(specOf(object).replicas, 1);
      const present = activePods(object);
      for (let missing = wanted - present.length; missing > 0; missing--) await createPod(cluster, object, { as });
      for (const pod of victims(present, present.length - wanted)) await deletePod(cluster, pod, as);
      const now = activePods(object);
      await passOnFailure(cluster, object, { pods: now, as });
      const ready = now.filter(isPodReady).length;
      await writeStatus(
        cluster,
        { type, object: cluster.get(type, keyOf(text)) ?? object, as },
        {
          replicas: now.length,
          fullyLabeledReplicas: positive(now.length),
          readyReplicas: positive(ready),
          availableReplicas: positive(ready),
          observedGeneration: object.metadata.generation,
        },
      );
    },
  };
}
