import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { type Controller, objectsIn, specOf, statusOf, typeOf, unlessGone } from '../controllers/controller.ts';
import type { Cluster } from '../registry/cluster.ts';
import type { KubeObject, ObjectMeta } from '../registry/kube-object.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { planRollout, rolloutRoom, sumOf } from './rollout.ts';
import {
  childrenOf,
  conditionsFrom,
  controllerReference,
  countOf,
  isToldToFail,
  keyOf,
  keysOfKind,
  type Observation,
  positive,
  type SimulationContext,
  shortHash,
  simulateAnnotation,
  templateOf,
  writeStatus,
} from './simulated.ts';

const as = 'system:serviceaccount:kube-system:deployment-controller';
const revisionAnnotation = 'deployment.kubernetes.io/revision';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const hashLabel = 'pod-template-hash';

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[revisionAnnotation] ?? 0);
}

function metadataOf(value: JsonObject): Pick<ObjectMeta, 'labels' | 'annotations'> {
  return (isJsonObject(value.metadata) ? value.metadata : {}) as Pick<ObjectMeta, 'labels' | 'annotations'>;
}

function annotationsFor(deployment: KubeObject, revision: number): Record<string, string> {
  const replicas = countOf(specOf(deployment).replicas, 1);
  const { [lastApplied]: _applied, ...annotations } = deployment.metadata.annotations ?? {};
  return {
    ...annotations,
    [revisionAnnotation]: String(revision),
    'deployment.kubernetes.io/desired-replicas': String(replicas),
    'deployment.kubernetes.io/max-replicas': String(replicas + rolloutRoom(deployment).surge),
  };
}

function newReplicaSet(deployment: KubeObject, name: string, revision: number): KubeObject {
  const template = templateOf(deployment);
  const { labels, ...metadata } = metadataOf(template);
  const hash = name.slice(name.lastIndexOf('-') + 1);
  const hashed = { ...labels, [hashLabel]: hash };
  const { selector } = specOf(deployment);
  const matchLabels = isJsonObject(selector) && isJsonObject(selector.matchLabels) ? selector.matchLabels : {};
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      namespace: deployment.metadata.namespace ?? '',
      labels: hashed,
      annotations: annotationsFor(deployment, revision),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      selector: { ...(isJsonObject(selector) ? selector : {}), matchLabels: { ...matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...metadata, labels: hashed } },
    },
  };
}

interface Progress {
  readonly deployment: KubeObject;
  readonly current: KubeObject;
  readonly sets: readonly KubeObject[];
}

function isComplete({ deployment, current, sets }: Progress): boolean {
  const replicas = countOf(specOf(deployment).replicas, 1);
  const counts = [sumOf([current], 'replicas'), sumOf(sets, 'replicas'), sumOf(sets, 'availableReplicas')];
  return counts.every((count) => count === replicas);
}

function isFailing({ deployment, current }: Progress): boolean {
  return isToldToFail(deployment) || metadataOf(templateOf(current)).annotations?.[simulateAnnotation] === 'fail';
}

function progressing(progress: Progress): Observation {
  const type = 'Progressing';
  const name = `ReplicaSet "${progress.current.metadata.name}"`;
  if (isComplete(progress)) {
    return { type, status: 'True', reason: 'NewReplicaSetAvailable', message: `${name} has successfully progressed.` };
  }
  if (isFailing(progress)) {
    return { type, status: 'False', reason: 'ProgressDeadlineExceeded', message: `${name} has timed out progressing.` };
  }
  return { type, status: 'True', reason: 'ReplicaSetUpdated', message: `${name} is progressing.` };
}

function available({ deployment, sets }: Progress): Observation {
  const type = 'Available';
  const replicas = countOf(specOf(deployment).replicas, 1);
  const isEnough = sumOf(sets, 'availableReplicas') >= replicas - rolloutRoom(deployment).unavailable;
  return isEnough
    ? { type, status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        type,
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

/** What a set says of pods that were refused. */
function replicaFailure({ sets }: Progress): Observation[] {
  const failed = sets
    .flatMap((set) => objectsIn(statusOf(set)['conditions']))
    .find(({ type }) => type === 'ReplicaFailure');
  if (failed === undefined) return [];
  const { reason, message } = failed as { reason: string; message: string };
  return [{ type: 'ReplicaFailure', status: 'True', reason, message }];
}

function statusFor(progress: Progress, now: string): JsonObject {
  const { deployment, current, sets } = progress;
  const [replicas, availableCount] = [sumOf(sets, 'replicas'), sumOf(sets, 'availableReplicas')];
  const wanted = sets.reduce((total, set) => total + countOf(specOf(set).replicas, 0), 0);
  const observations = [available(progress), ...replicaFailure(progress), progressing(progress)];
  return {
    observedGeneration: deployment.metadata.generation,
    replicas: positive(replicas),
    updatedReplicas: positive(sumOf([current], 'replicas')),
    readyReplicas: positive(sumOf(sets, 'readyReplicas')),
    availableReplicas: positive(availableCount),
    unavailableReplicas: positive(wanted - availableCount),
    conditions: conditionsFrom(deployment, observations, { now, extra: ['lastUpdateTime'] }),
  };
}

class DeploymentSimulation implements Controller {
  readonly name = 'simulated-deployments';
  readonly keysOf: Controller['keysOf'];
  readonly #context: SimulationContext;
  readonly #cluster: Cluster;
  readonly #type: ResourceType;
  readonly #sets: ResourceType;

  constructor(context: SimulationContext) {
    this.#context = context;
    this.#cluster = context.cluster;
    this.#type = typeOf(context.cluster, 'deployments', 'apps');
    this.#sets = typeOf(context.cluster, 'replicasets', 'apps');
    this.keysOf = keysOfKind(this.#type);
  }

  async work(text: string): Promise<void> {
    const deployment = this.#cluster.get(this.#type, keyOf(text));
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    const isPaused = specOf(deployment).paused === true;
    if (isPaused && this.#ownedSets(deployment).length === 0) return await this.#observe(deployment);
    const current = await this.#ensureCurrent(deployment);
    const old = this.#ownedSets(deployment).filter(({ metadata }) => metadata.name !== current.metadata.name);
    if (!isPaused) await this.#scale(planRollout(deployment, current, old), deployment);
    await this.#passOn(deployment, current);
    const sets = this.#ownedSets(deployment);
    const latest = sets.find(({ metadata }) => metadata.name === current.metadata.name) ?? current;
    const object = await this.#noteRevision(deployment, latest);
    const status = statusFor({ deployment: object, current: latest, sets }, this.#context.now());
    await writeStatus(this.#cluster, { type: this.#type, object, as }, status);
  }

  /** A Deployment that is paused from the start gets no ReplicaSet. */
  async #observe(object: KubeObject): Promise<void> {
    const status = { observedGeneration: object.metadata.generation };
    await writeStatus(this.#cluster, { type: this.#type, object, as }, status);
  }

  #ownedSets(deployment: KubeObject): KubeObject[] {
    return childrenOf(this.#cluster, this.#sets, deployment);
  }

  async #ensureCurrent(deployment: KubeObject): Promise<KubeObject> {
    const { namespace = '', name = '' } = deployment.metadata;
    const setName = `${name}-${shortHash(templateOf(deployment))}`;
    const latest = Math.max(0, ...this.#ownedSets(deployment).map(revisionOf));
    const found = this.#cluster.get(this.#sets, { namespace, name: setName });
    if (found === undefined) {
      return await this.#cluster.create(this.#sets, newReplicaSet(deployment, setName, latest + 1), { as });
    }
    if (revisionOf(found) === latest) return found;
    const metadata = { annotations: { [revisionAnnotation]: String(latest + 1) } };
    return await this.#cluster.patch(this.#sets, { namespace, name: setName }, { metadata }, { as });
  }

  async #scale(plan: ReadonlyMap<string, number>, deployment: KubeObject): Promise<void> {
    for (const set of this.#ownedSets(deployment)) {
      const replicas = plan.get(set.metadata.name ?? '');
      if (replicas === undefined || replicas === specOf(set).replicas) continue;
      const key = { namespace: set.metadata.namespace ?? '', name: set.metadata.name ?? '' };
      await unlessGone(this.#cluster.patch(this.#sets, key, { spec: { replicas } }, { as }));
    }
  }

  async #passOn(deployment: KubeObject, { metadata }: KubeObject): Promise<void> {
    const wish = isToldToFail(deployment) ? 'fail' : null;
    if ((metadata.annotations?.[simulateAnnotation] ?? null) === wish) return;
    const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    const change = { metadata: { annotations: { [simulateAnnotation]: wish } } };
    await unlessGone(this.#cluster.patch(this.#sets, key, change, { as }));
  }

  async #noteRevision(deployment: KubeObject, current: KubeObject): Promise<KubeObject> {
    const revision = current.metadata.annotations?.[revisionAnnotation] ?? '1';
    if (deployment.metadata.annotations?.[revisionAnnotation] === revision) return deployment;
    const { namespace = '', name = '' } = deployment.metadata;
    const metadata = { annotations: { [revisionAnnotation]: revision } };
    return await this.#cluster.patch(this.#type, { namespace, name }, { metadata }, { as });
  }
}

/** Rolls Deployments out over ReplicaSets, within `maxSurge` and `maxUnavailable`. Old ReplicaSets are kept, scaled to none. */
export function deploymentSimulation(context: SimulationContext): Controller {
  return new DeploymentSimulation(context);
}
