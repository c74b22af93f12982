import { type Controller, typeOf } from '../controllers/controller.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import { createPod, deletePod, passOnFailure } from './pod-set.ts';
import {
  childrenOf,
  isPodActive,
  isPodReady,
  keyOf,
  keysOfKind,
  positive,
  type SimulationContext,
  shortHash,
  templateOf,
  writeStatus,
} from './simulated.ts';

const as = 'system:serviceaccount:kube-system:daemon-set-controller';
const hashLabel = 'controller-revision-hash';

function isCurrent(set: KubeObject, { metadata }: KubeObject): boolean {
  return metadata.labels?.[hashLabel] === shortHash(templateOf(set));
}

/** Keeps one pod of each DaemonSet on the one Node. */
export function daemonSetSimulation({ cluster }: SimulationContext): Controller {
  const type = typeOf(cluster, 'daemonsets', 'apps');
  const pods = typeOf(cluster, 'pods');
  const activePods = (set: KubeObject): KubeObject[] => childrenOf(cluster, pods, set).filter(isPodActive);
  return {
    name: 'simulated-daemonsets',
    keysOf: keysOfKind(type),
    work: async (text) => {
      const set = cluster.get(type, keyOf(text));
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
      const present = activePods(set);
      for (const pod of present.filter((candidate) => !isCurrent(set, candidate))) await deletePod(cluster, pod, as);
      if (present.length === 0) {
        const labels = {
          [hashLabel]: shortHash(templateOf(set)),
          'pod-template-generation': String(set.metadata.generation ?? 1),
        };
        await createPod(cluster, set, { as, labels });
      }
      const now = activePods(set);
      await passOnFailure(cluster, set, { pods: now, as });
      const ready = now.filter(isPodReady).length;
      const status = {
        currentNumberScheduled: now.length,
        numberMisscheduled: 0,
        desiredNumberScheduled: 1,
        numberReady: ready,
        observedGeneration: set.metadata.generation,
        updatedNumberScheduled: positive(now.filter((pod) => isCurrent(set, pod)).length),
        numberAvailable: positive(ready),
        numberUnavailable: positive(1 - ready),
      };
      await writeStatus(cluster, { type, object: cluster.get(type, keyOf(text)) ?? set, as }, status);
    },
  };
}
