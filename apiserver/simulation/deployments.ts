import type { JsonObject } from '../../src/base/index.ts';
import { type Controller, specOf, typeOf, unlessGone } from '../controllers/controller.ts';
import type { Cluster } from '../registry/cluster.ts';
import type { KubeObject } from '../registry/kube-object.ts';
import type { ResourceType } from '../registry/resource-type.ts';
import { matchesLabelSelector } from '../selectors/index.ts';
import { Appointments } from './appointments.ts';
import { deploymentStatus, isRolledOut, pauseConditions, startConditions, untilDeadline } from './deployment-status.ts';
import {
  catchUp,
  forgotten,
  latestRevision,
  newReplicaSet,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
} from './revisions.ts';
import { planRollout, planScaling } from './rollout.ts';
import {
  childrenOf,
  controllerReference,
  isToldToFail,
  keyOf,
  keysOfKind,
  keyText,
  type SimulationContext,
  shortHash,
  simulateAnnotation,
  templateOf,
  writeStatus,
} from './simulated.ts';

const as = 'system:serviceaccount:kube-system:deployment-controller';

function setNameOf(deployment: KubeObject): string {
  return `${deployment.metadata.name ?? ''}-${shortHash(templateOf(deployment))}`;
}

function keyFor({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

class DeploymentSimulation implements Controller {
  readonly name = 'simulated-deployments';
  readonly keysOf: Controller['keysOf'];
  readonly #context: SimulationContext;
  readonly #cluster: Cluster;
  readonly #type: ResourceType;
  readonly #sets: ResourceType;
  #deadlines: Appointments | undefined;

  constructor(context: SimulationContext) {
    this.#context = context;
    this.#cluster = context.cluster;
    this.#type = typeOf(context.cluster, 'deployments', 'apps');
    this.#sets = typeOf(context.cluster, 'replicasets', 'apps');
    this.keysOf = keysOfKind(this.#type);
  }

  start(again: (key: string) => void): Disposable {
    this.#deadlines = new Appointments(this.#context.clock, again);
    return this.#deadlines;
  }

  async work(text: string): Promise<void> {
    this.#deadlines?.set(text, undefined);
    const found = this.#cluster.get(this.#type, keyOf(text));
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
    await this.#adopt(found);
    const seen = await this.#notePause(found);
    const isPaused = specOf(seen).paused === true;
    const [deployment, current] = isPaused ? [seen, this.#currentOf(seen)] : await this.#ensureCurrent(seen);
    const old = this.#ownedSets(deployment).filter(({ metadata }) => metadata.name !== current?.metadata.name);
    await this.#scale(deployment, current, old);
    if (current !== undefined) await this.#passOn(deployment, current);
    if (isPaused || isRolledOut(deployment)) await this.#forget(deployment, old);
    await this.#report(deployment);
  }

  async #report(deployment: KubeObject): Promise<void> {
    const progress = { deployment, current: this.#currentOf(deployment), sets: this.#ownedSets(deployment) };
    const nowMs = this.#context.clock.now();
    const status = deploymentStatus(progress, { now: this.#context.now(), nowMs });
    await writeStatus(this.#cluster, { type: this.#type, object: deployment, as }, status);
    this.#deadlines?.set(keyText(deployment), untilDeadline({ ...deployment, status }, nowMs));
  }

  /** Takes over the sets that the selector chooses and nobody controls, as after a deletion that left them behind. */
  async #adopt(deployment: KubeObject): Promise<void> {
    const { selector } = specOf(deployment);
    const { namespace = '' } = deployment.metadata;
    for (const set of this.#cluster.list(this.#sets, { namespace })) {
      const { ownerReferences = [], deletionTimestamp, labels } = set.metadata;
      if (deletionTimestamp !== undefined || ownerReferences.some(({ controller }) => controller === true)) continue;
      if (!matchesLabelSelector(selector, labels)) continue;
      const metadata = { ...set.metadata, ownerReferences: [...ownerReferences, controllerReference(deployment)] };
      await unlessGone(this.#cluster.update(this.#sets, { ...set, metadata }, { as }));
    }
  }

  /** Says so at once when a pause begins or ends, before anything is done about it. */
  async #notePause(deployment: KubeObject): Promise<KubeObject> {
    const conditions = pauseConditions(deployment, this.#context.now());
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
    return await this.#cluster.update(this.#type, object, { as, subresource: 'status' });
  }

  #ownedSets(deployment: KubeObject): KubeObject[] {
    return childrenOf(this.#cluster, this.#sets, deployment);
  }

  #currentOf(deployment: KubeObject): KubeObject | undefined {
    const name = setNameOf(deployment);
    return this.#ownedSets(deployment).find(({ metadata }) => metadata.name === name);
  }

  /** The set with the Deployment's template, made when there is none, and the Deployment with its revision. */
  async #ensureCurrent(deployment: KubeObject): Promise<[KubeObject, KubeObject]> {
    const found = this.#currentOf(deployment);
    const old = this.#ownedSets(deployment).filter((set) => set.metadata.name !== found?.metadata.name);
    const revision = latestRevision(old) + 1;
    const set =
      found === undefined
        ? await this.#cluster.create(this.#sets, newReplicaSet(deployment, setNameOf(deployment), revision), { as })
        : await this.#renew(deployment, found, revision);
    const start = { name: set.metadata.name ?? '', isNew: found === undefined };
    const conditions = startConditions(deployment, start, this.#context.now());
    const isNoted = deployment.metadata.annotations?.[revisionAnnotation] === String(revisionOf(set));
    if (isNoted && conditions === undefined) return [deployment, set];
    const annotations = { [revisionAnnotation]: String(revisionOf(set)) };
    return [await this.#note(deployment, annotations, conditions), set];
  }

  async #renew(deployment: KubeObject, set: KubeObject, revision: number): Promise<KubeObject> {
    const change = catchUp(deployment, set, revision);
    return change === undefined ? set : await this.#cluster.patch(this.#sets, keyFor(set), change, { as });
  }

  async #scale(deployment: KubeObject, current: KubeObject | undefined, old: readonly KubeObject[]): Promise<void> {
    const isPaused = specOf(deployment).paused === true;
    const newestFirst = [
      ...(current === undefined ? [] : [current]),
      ...old.toSorted((a, b) => revisionOf(b) - revisionOf(a)),
    ];
    const plan =
      isPaused || current === undefined ? planScaling(deployment, newestFirst) : planRollout(deployment, current, old);
    for (const set of newestFirst) {
      const replicas = plan.get(set.metadata.name ?? '');
      if (replicas === undefined || replicas === specOf(set).replicas) continue;
      const change = { metadata: { annotations: sizeAnnotations(deployment) }, spec: { replicas } };
      await unlessGone(this.#cluster.patch(this.#sets, keyFor(set), change, { as }));
    }
  }

  async #passOn(deployment: KubeObject, set: KubeObject): Promise<void> {
    const wish = isToldToFail(deployment) ? 'fail' : null;
    if ((set.metadata.annotations?.[simulateAnnotation] ?? null) === wish) return;
    const change = { metadata: { annotations: { [simulateAnnotation]: wish } } };
    await unlessGone(this.#cluster.patch(this.#sets, keyFor(set), change, { as }));
  }

  async #forget(deployment: KubeObject, old: readonly KubeObject[]): Promise<void> {
    const latest = old.map((set) => this.#cluster.get(this.#sets, keyFor(set)) ?? set);
    for (const set of forgotten(deployment, latest)) {
      await unlessGone(this.#cluster.delete(this.#sets, keyFor(set), { as, propagationPolicy: 'Background' }));
    }
  }
}

/** Rolls Deployments out over ReplicaSets, within `maxSurge` and `maxUnavailable`, and says by the server's clock when one is stuck.
 *  Old ReplicaSets are kept, scaled to none, up to `revisionHistoryLimit`. */
export function deploymentSimulation(context: SimulationContext): Controller {
  return new DeploymentSimulation(context);
}
