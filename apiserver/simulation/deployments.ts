import type { JsonObject } from '../../src/base/index.ts';
import { type Controller, ignoreNotFound, specOf, statusOf } from '../controllers/index.ts';
import type { KubeObject } from '../core/index.ts';
import { claimChildren } from './claiming.ts';
import { deploymentStatus, isRolledOut, pauseConditions, startConditions, untilDeadline } from './deployment-status.ts';
import {
  catchUp,
  forgotten,
  hasTemplateOf,
  isOutsized,
  latestRevision,
  newReplicaSet,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
} from './revisions.ts';
import { desiredReplicas, planRollout, planScaling } from './rollout.ts';
import {
  countOf,
  isSetToFail,
  type SimulationContext,
  shortHash,
  simulateAnnotation,
  templateOf,
  writeStatus,
} from './simulated.ts';
import { WorkloadController } from './workload-controller.ts';

const as = 'system:serviceaccount:kube-system:deployment-controller';

/** The end of the name stands for the template, and for how often such a name was taken by another object. */
function setNameOf(deployment: KubeObject): string {
  const collisions = countOf(statusOf(deployment).collisionCount, 0);
  const template = templateOf(deployment);
  return `${deployment.metadata.name ?? ''}-${shortHash(collisions === 0 ? template : [template, collisions])}`;
}

function keyFor({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** The set with the Deployment's template, whatever its name: the oldest, where there are several. */
function currentOf(deployment: KubeObject, sets: readonly KubeObject[]): KubeObject | undefined {
  return sets
    .filter((set) => hasTemplateOf(deployment, set))
    .toSorted((a, b) => (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''))[0];
}

function othersThan(set: KubeObject | undefined, sets: readonly KubeObject[]): KubeObject[] {
  return sets.filter(({ metadata }) => metadata.name !== set?.metadata.name);
}

class DeploymentSimulation extends WorkloadController {
  constructor(context: SimulationContext) {
    super(context, {
      name: 'simulated-deployments',
      type: ['deployments', 'apps'],
      children: ['replicasets'],
      childGroup: 'apps',
    });
  }

  protected override async reconcile(found: KubeObject): Promise<void> {
    await claimChildren({ cluster: this.cluster, type: this.children, owner: found, as });
    const seen = await this.#notePause(found);
    const isPaused = specOf(seen).paused === true;
    const isScaling = isPaused || (await this.childrenOf(seen)).some((set) => isOutsized(seen, set));
    const deployment = isScaling ? await this.#scale(seen) : await this.#rollOut(seen);
    if (isPaused || isRolledOut(deployment)) await this.#forget(deployment);
    await this.#report(deployment);
  }

  async #rollOut(seen: KubeObject): Promise<KubeObject> {
    const [deployment, current] = await this.#ensureCurrent(seen);
    const old = othersThan(current, await this.childrenOf(deployment));
    await this.#resize(deployment, planRollout(deployment, current, old));
    await this.#passOn(deployment, current);
    return deployment;
  }

  async #report(deployment: KubeObject): Promise<void> {
    const sets = await this.childrenOf(deployment);
    const progress = { deployment, current: currentOf(deployment, sets), sets };
    const nowMs = this.context.clock.now();
    const status = deploymentStatus(progress, { now: this.context.now(), nowMs });
    await writeStatus(this.cluster, { type: this.type, object: deployment, as }, status);
    this.requeueAfter(deployment, untilDeadline({ ...deployment, status }, nowMs));
  }

  /** Reports at once when a pause begins or ends, before anything is done about it. */
  async #notePause(deployment: KubeObject): Promise<KubeObject> {
    const conditions = pauseConditions(deployment, this.context.now());
    return conditions === undefined ? deployment : await this.#note(deployment, {}, conditions);
  }

  async #note(
    deployment: KubeObject,
    annotations: Record<string, string>,
    conditions: readonly JsonObject[] | undefined,
  ): Promise<KubeObject> {
    const { metadata, status } = deployment;
    const object = {
      ...deployment,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
      status: { ...(status as JsonObject | undefined), ...(conditions === undefined ? {} : { conditions }) },
    } as KubeObject;
    return await this.cluster.update(this.type, object, { as, subresource: 'status' });
  }

  /** The set with the Deployment's template, made when there is none, and the Deployment with its revision. */
  async #ensureCurrent(deployment: KubeObject): Promise<[KubeObject, KubeObject]> {
    const sets = await this.childrenOf(deployment);
    const found = currentOf(deployment, sets);
    const old = othersThan(found, sets);
    const revision = latestRevision(old) + 1;
    const set =
      found === undefined ? await this.#create(deployment, revision) : await this.#renew(deployment, found, revision);
    const start = { name: set.metadata.name ?? '', isNew: found === undefined };
    const conditions = startConditions(deployment, start, this.context.now());
    const isNoted = deployment.metadata.annotations?.[revisionAnnotation] === String(revisionOf(set));
    if (isNoted && conditions === undefined) return [deployment, set];
    const annotations = { [revisionAnnotation]: String(revisionOf(set)) };
    return [await this.#note(deployment, annotations, conditions), set];
  }

  /** @throws StatusError 409 when the name is taken; the next attempt has another name */
  async #create(deployment: KubeObject, revision: number): Promise<KubeObject> {
    const set = newReplicaSet(deployment, setNameOf(deployment), revision);
    const present = this.cluster.get(this.children, keyFor(set));
    if (present !== undefined) {
      const collisionCount = countOf(statusOf(deployment).collisionCount, 0) + 1;
      await writeStatus(
        this.cluster,
        { type: this.type, object: deployment, as },
        { ...statusOf(deployment), collisionCount },
      );
    }
    return await this.cluster.create(this.children, set, { as });
  }

  async #renew(deployment: KubeObject, set: KubeObject, revision: number): Promise<KubeObject> {
    const change = catchUp(deployment, set, revision);
    return change === undefined ? set : await this.cluster.patch(this.children, keyFor(set), change, { as });
  }

  /** Distributes a new number of replicas over the sets that have pods. They note it, also where their share stays the same. */
  async #scale(deployment: KubeObject): Promise<KubeObject> {
    const sets = await this.childrenOf(deployment);
    const current = currentOf(deployment, sets);
    const old = othersThan(current, sets).toSorted((a, b) => revisionOf(b) - revisionOf(a));
    const newestFirst = [...(current === undefined ? [] : [current]), ...old];
    const plan = planScaling(deployment, current, newestFirst);
    for (const set of newestFirst) {
      const { name = '' } = set.metadata;
      if (!plan.has(name) && isOutsized(deployment, set)) plan.set(name, desiredReplicas(set));
    }
    await this.#resize(deployment, plan);
    if (current !== undefined) await this.#passOn(deployment, current);
    return deployment;
  }

  async #resize(deployment: KubeObject, plan: ReadonlyMap<string, number>): Promise<void> {
    for (const set of await this.childrenOf(deployment)) {
      const replicas = plan.get(set.metadata.name ?? '');
      const isSame = replicas === specOf(set).replicas && !isOutsized(deployment, set);
      if (replicas === undefined || isSame) continue;
      const change = { metadata: { annotations: sizeAnnotations(deployment) }, spec: { replicas } };
      await ignoreNotFound(this.cluster.patch(this.children, keyFor(set), change, { as }));
    }
  }

  async #passOn(deployment: KubeObject, set: KubeObject): Promise<void> {
    const desired = isSetToFail(deployment) ? 'fail' : null;
    if ((set.metadata.annotations?.[simulateAnnotation] ?? null) === desired) return;
    const change = { metadata: { annotations: { [simulateAnnotation]: desired } } };
    await ignoreNotFound(this.cluster.patch(this.children, keyFor(set), change, { as }));
  }

  async #forget(deployment: KubeObject): Promise<void> {
    const sets = await this.childrenOf(deployment);
    for (const set of forgotten(deployment, othersThan(currentOf(deployment, sets), sets))) {
      await ignoreNotFound(this.cluster.delete(this.children, keyFor(set), { as, propagationPolicy: 'Background' }));
    }
  }
}

/** Rolls Deployments out over ReplicaSets, within `maxSurge` and `maxUnavailable`, and reports by the server's clock when one is stuck.
 *  Old ReplicaSets are kept, scaled to none, up to `revisionHistoryLimit`. */
export function deploymentSimulation(context: SimulationContext): Controller {
  return new DeploymentSimulation(context);
}
