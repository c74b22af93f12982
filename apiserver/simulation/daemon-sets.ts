import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { Appointments, type Controller, specOf, typeOf } from '../controllers/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { availabilityOf } from './availability.ts';
import { claimChildren, keysOfClaims } from './claiming.ts';
import { type RevisionHistory, recordRevision, truncateHistory } from './controller-revisions.ts';
import { changesNodes, nodesOfDaemonSet } from './nodes.ts';
import { createPod, deletePod, passOnFailure } from './pod-set.ts';
import {
  childrenOf,
  countOf,
  isPodActive,
  isPodReady,
  keyOf,
  keyText,
  positive,
  type SimulationContext,
  templateOf,
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

/** The Nodes that are to have a pod of the set. */
function targetsOf(cluster: Cluster, set: KubeObject): readonly string[] {
  const { spec } = templateOf(set);
  const podSpec = isJsonObject(spec) ? spec : ({} as JsonObject);
  const { nodeName } = podSpec;
  if (typeof nodeName === 'string' && nodeName !== '') return [nodeName];
  return nodesOfDaemonSet(cluster, podSpec);
}

interface DaemonPods {
  readonly targets: readonly string[];
  readonly present: readonly KubeObject[];
  readonly hash: string;
}

function nodeOf(pod: KubeObject): string {
  const { nodeName } = specOf(pod);
  return typeof nodeName === 'string' ? nodeName : '';
}

/** Pods whose template is an old one, on Nodes that are to have none, and second ones on a Node. */
function surplusOf(set: KubeObject, { targets, present, hash }: DaemonPods): readonly KubeObject[] {
  const [desired, taken] = [new Set(targets), new Set<string>()];
  return present.filter((pod) => {
    const node = nodeOf(pod);
    if (!isUpdatedOnDelete(set) && hashOf(pod) !== hash) return true;
    if (node === '') return false;
    const isSecond = taken.has(node);
    taken.add(node);
    return isSecond || !desired.has(node);
  });
}

/** Replaces pods when their template is an old one, and makes one for each Node that has none. */
async function keepPods(cluster: Cluster, set: KubeObject, pods: DaemonPods): Promise<void> {
  const { targets, present, hash } = pods;
  for (const pod of surplusOf(set, pods)) await deletePod(cluster, pod, as);
  const covered = new Set(present.map(nodeOf));
  const unplaced = present.filter((pod) => nodeOf(pod) === '').length;
  const labels = { [hashLabel]: hash, 'pod-template-generation': String(set.metadata.generation ?? 1) };
  for (const name of targets.filter((target) => !covered.has(target)).slice(unplaced)) {
    // Of one Node the scheduler has no choice, and it looks at gates.
    const spec = targets.length === 1 ? {} : { nodeName: name };
    await createPod(cluster, set, { as, labels, spec });
  }
}

function statusFor(
  set: KubeObject,
  state: {
    readonly pods: readonly KubeObject[];
    readonly desired: number;
    readonly history: RevisionHistory;
    readonly available: number;
  },
): JsonObject {
  const { pods, desired, history, available } = state;
  const hash = hashOf(history.update);
  return {
    currentNumberScheduled: pods.length,
    numberMisscheduled: 0,
    desiredNumberScheduled: desired,
    numberReady: pods.filter(isPodReady).length,
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: positive(pods.filter((pod) => hashOf(pod) === hash).length),
    numberAvailable: positive(available),
    numberUnavailable: positive(desired - available),
    collisionCount: positive(history.collisionCount),
  };
}

/** Keeps one pod of each DaemonSet on each simulated Node that it selects, and a ControllerRevision for each of its templates. */
export function daemonSetSimulation({ cluster, clock }: SimulationContext): Controller {
  const type = typeOf(cluster, 'daemonsets', 'apps');
  const pods = typeOf(cluster, 'pods');
  const activePods = async (set: KubeObject): Promise<KubeObject[]> =>
    (await childrenOf(cluster, pods, set)).filter(isPodActive);
  const claims = keysOfClaims(cluster, type, ['pods', 'controllerrevisions']);
  let waits: Appointments | undefined;
  return {
    name: 'simulated-daemonsets',
    start: (again) => (waits = new Appointments(clock, again)),
    keysOf: (event) => (changesNodes(event) ? cluster.list(type).map((set) => keyText(set)) : claims.keysOf(event)),
    concernedIn: claims.concernedIn,
    work: async (text) => {
      waits?.set(text, undefined);
      const set = cluster.get(type, keyOf(text));
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
      await claimChildren({ cluster, type: pods, owner: set, as });
      const history = await recordRevision(cluster, set, form);
      const targets = targetsOf(cluster, set);
      await keepPods(cluster, set, { targets, present: await activePods(set), hash: hashOf(history.update) ?? '' });
      const now = await activePods(set);
      await passOnFailure(cluster, set, { pods: now, as });
      const { available, againInMs } = availabilityOf(now, countOf(specOf(set).minReadySeconds, 0), clock.now());
      const status = statusFor(set, { pods: now, desired: targets.length, history, available });
      await writeStatus(cluster, { type, object: cluster.get(type, keyOf(text)) ?? set, as }, status);
      const used = new Set(now.map(hashOf));
      const isLive = (revision: KubeObject): boolean => revision === history.update || used.has(hashOf(revision));
      const live = new Set(history.revisions.filter(isLive).map(({ metadata }) => metadata.name ?? ''));
      await truncateHistory(cluster, set, { history, live, as });
      waits?.set(text, againInMs);
    },
  };
}
