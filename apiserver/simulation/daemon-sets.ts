import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { Appointments, type Controller, specOf, typeOf } from '../controllers/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { availabilityOf } from './availability.ts';
import { claimChildren, keysOfClaims } from './claiming.ts';
import { type RevisionHistory, recordRevision, truncateHistory } from './controller-revisions.ts';
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

const as = 'system:serviceaccount:kube-system:daemon-set-controller';
const hashLabel = 'controller-revision-hash';
const form = { hashLabel, as };

function hashOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[hashLabel];
}

function isUpdatedOnDelete(set: KubeObject): boolean {
  const { updateStrategy } = specOf(set);
  return isJsonObject(updateStrategy) && updateStrategy.type === 'OnDelete';
}

/** Replaces the pod on the one Node when its template is an old one, and makes it when there is none. */
async function keepPod(
  cluster: Cluster,
  set: KubeObject,
  state: { readonly present: readonly KubeObject[]; readonly hash: string },
): Promise<void> {
  const { present, hash } = state;
  const outdated = isUpdatedOnDelete(set) ? [] : present.filter((pod) => hashOf(pod) !== hash);
  for (const pod of outdated) await deletePod(cluster, pod, as);
  if (present.length > 0) return;
  const labels = { [hashLabel]: hash, 'pod-template-generation': String(set.metadata.generation ?? 1) };
  await createPod(cluster, set, { as, labels });
}

function statusFor(
  set: KubeObject,
  state: { readonly pods: readonly KubeObject[]; readonly history: RevisionHistory; readonly available: number },
): JsonObject {
  const { pods, history, available } = state;
  const hash = hashOf(history.update);
  return {
    currentNumberScheduled: pods.length,
    numberMisscheduled: 0,
    desiredNumberScheduled: 1,
    numberReady: pods.filter(isPodReady).length,
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: positive(pods.filter((pod) => hashOf(pod) === hash).length),
    numberAvailable: positive(available),
    numberUnavailable: positive(1 - available),
    collisionCount: positive(history.collisionCount),
  };
}

/** Keeps one pod of each DaemonSet on the one Node, and a ControllerRevision for each of its templates. */
export function daemonSetSimulation({ cluster, clock }: SimulationContext): Controller {
  const type = typeOf(cluster, 'daemonsets', 'apps');
  const pods = typeOf(cluster, 'pods');
  const activePods = (set: KubeObject): KubeObject[] => childrenOf(cluster, pods, set).filter(isPodActive);
  let waits: Appointments | undefined;
  return {
    name: 'simulated-daemonsets',
    start: (again) => (waits = new Appointments(clock, again)),
    keysOf: keysOfClaims(cluster, type, ['pods', 'controllerrevisions']),
    work: async (text) => {
      waits?.set(text, undefined);
      const set = cluster.get(type, keyOf(text));
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
      await claimChildren({ cluster, type: pods, owner: set, as });
      const history = await recordRevision(cluster, set, form);
      await keepPod(cluster, set, { present: activePods(set), hash: hashOf(history.update) ?? '' });
      const now = activePods(set);
      await passOnFailure(cluster, set, { pods: now, as });
      const { available, againInMs } = availabilityOf(now, countOf(specOf(set).minReadySeconds, 0), clock.now());
      const status = statusFor(set, { pods: now, history, available });
      await writeStatus(cluster, { type, object: cluster.get(type, keyOf(text)) ?? set, as }, status);
      const used = new Set(now.map(hashOf));
      const isLive = (revision: KubeObject): boolean => revision === history.update || used.has(hashOf(revision));
      const live = new Set(history.revisions.filter(isLive).map(({ metadata }) => metadata.name ?? ''));
      await truncateHistory(cluster, set, { history, live, as });
      waits?.set(text, againInMs);
    },
  };
}
