import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import { type Controller, specOf, statusOf } from '../controllers/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { availabilityOf } from './availability.ts';
import { claimChildren } from './claiming.ts';
import { type RevisionHistory, recordRevision, templateIn, truncateHistory } from './controller-revisions.ts';
import { deletePod, passOnFailure } from './pod-set.ts';
import { countOf, isPodReady, keyOf, keyText, positive, type SimulationContext, writeStatus } from './simulated.ts';
import { as, createMember, type MemberTemplate, ordinalOf, revisionLabel, startOrdinal } from './stateful-pods.ts';
import { WorkloadController } from './workload-controller.ts';

const form = { hashLabel: 'controller.kubernetes.io/hash', as };

function isBeingDeleted({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isEnded(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(String(statusOf(pod).phase as string));
}

function isHealthy(pod: KubeObject): boolean {
  return statusOf(pod).phase === 'Running' && isPodReady(pod) && !isBeingDeleted(pod);
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? '';
}

function revisionOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[revisionLabel];
}

/** Pods below this number stay at the current revision; undefined when the strategy names none. */
function partitionOf(set: KubeObject): number | undefined {
  const { updateStrategy } = specOf(set);
  const rolling = isJsonObject(updateStrategy) ? updateStrategy.rollingUpdate : undefined;
  return isJsonObject(rolling) ? countOf(rolling.partition, 0) : undefined;
}

function isUpdatedOnDelete(set: KubeObject): boolean {
  const { updateStrategy } = specOf(set);
  return isJsonObject(updateStrategy) && updateStrategy.type === 'OnDelete';
}

/** One pass over one StatefulSet, as it is now. */
class StatefulPass {
  readonly #cluster: Cluster;
  readonly #set: KubeObject;
  readonly #history: RevisionHistory;
  readonly #pods: readonly KubeObject[];
  readonly #nowMs: number;

  constructor(
    cluster: Cluster,
    set: KubeObject,
    state: { readonly history: RevisionHistory; readonly pods: readonly KubeObject[]; readonly nowMs: number },
  ) {
    this.#cluster = cluster;
    this.#set = set;
    this.#history = state.history;
    this.#pods = state.pods;
    this.#nowMs = state.nowMs;
  }

  /** Makes, removes or replaces pods as far as it may at once: one at a time, each when those before are available, unless the set is Parallel. */
  async step(): Promise<void> {
    const [start, count] = [startOrdinal(this.#set), countOf(specOf(this.#set).replicas, 1)];
    const numbered = this.#pods.map((pod) => ({ pod, ordinal: ordinalOf(this.#set, pod) }));
    const isMember = (ordinal: number | undefined): boolean =>
      ordinal !== undefined && ordinal >= start && ordinal < start + count;
    const members = new Map(numbered.flatMap(({ pod, ordinal }) => (isMember(ordinal) ? [[ordinal, pod]] : [])));
    const condemned = numbered
      .filter(({ ordinal }) => ordinal !== undefined && !isMember(ordinal))
      .toSorted((a, b) => (b.ordinal ?? 0) - (a.ordinal ?? 0))
      .map(({ pod }) => pod);
    for (let ordinal = start; ordinal < start + count; ordinal++) {
      if (!(await this.#keep(ordinal, members.get(ordinal)))) return;
    }
    if (!(await this.#removeCondemned(condemned)) || isUpdatedOnDelete(this.#set)) return;
    for (let ordinal = start + count - 1; ordinal >= start + (partitionOf(this.#set) ?? 0); ordinal--) {
      if (!(await this.#renew(members.get(ordinal)))) return;
    }
  }

  #isParallel(): boolean {
    return specOf(this.#set).podManagementPolicy === 'Parallel';
  }

  #isAvailable(pod: KubeObject): boolean {
    const seconds = countOf(specOf(this.#set).minReadySeconds, 0);
    return isHealthy(pod) && availabilityOf([pod], seconds, this.#nowMs).available === 1;
  }

  /** Whether the next pod may follow. */
  async #keep(ordinal: number, pod: KubeObject | undefined): Promise<boolean> {
    if (pod === undefined) {
      await createMember(this.#cluster, this.#set, { ordinal, ...this.#templateFor(ordinal) });
      return this.#isParallel();
    }
    if (isEnded(pod)) {
      if (!isBeingDeleted(pod)) await deletePod(this.#cluster, pod, as);
      return this.#isParallel();
    }
    return this.#isParallel() || this.#isAvailable(pod);
  }

  /** Removes the highest numbers first. Returns whether all are removed. */
  async #removeCondemned(condemned: readonly KubeObject[]): Promise<boolean> {
    for (const pod of condemned) {
      if (!isBeingDeleted(pod)) await deletePod(this.#cluster, pod, as);
      if (!this.#isParallel()) return false;
    }
    return true;
  }

  /** Whether the pod before may be renewed too. */
  async #renew(pod: KubeObject | undefined): Promise<boolean> {
    if (pod === undefined) return false;
    if (revisionOf(pod) === nameOf(this.#history.update)) return isHealthy(pod);
    if (!isBeingDeleted(pod)) await deletePod(this.#cluster, pod, as);
    return false;
  }

  /** Pods that the update has not reached come back at the current revision. */
  #templateFor(ordinal: number): MemberTemplate {
    const { update } = this.#history;
    const isRolling = !isUpdatedOnDelete(this.#set);
    const firstUpdated = partitionOf(this.#set) ?? countOf(statusOf(this.#set).currentReplicas, 0);
    const isBefore = isRolling && ordinal < startOrdinal(this.#set) + firstUpdated;
    const revision = isBefore ? currentRevision(this.#set, this.#history) : update;
    return { template: templateIn(revision), revision: nameOf(revision) };
  }
}

function currentRevision(set: KubeObject, { revisions, update }: RevisionHistory): KubeObject {
  const { currentRevision: name } = statusOf(set);
  return revisions.find((revision) => nameOf(revision) === name) ?? update;
}

function statusFor(
  set: KubeObject,
  state: { readonly history: RevisionHistory; readonly pods: readonly KubeObject[]; readonly available: number },
): JsonObject {
  const { history, pods, available } = state;
  const ofRevision = (name: string): number =>
    pods.filter((pod) => revisionOf(pod) === name && !isBeingDeleted(pod)).length;
  const replicas = countOf(specOf(set).replicas, 1);
  const ready = pods.filter(isPodReady).length;
  const updateRevision = nameOf(history.update);
  const updated = ofRevision(updateRevision);
  const isFinished = [updated, ready, pods.length].every((count) => count === replicas) && !isUpdatedOnDelete(set);
  const revision = isFinished ? updateRevision : nameOf(currentRevision(set, history));
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: positive(ready),
    availableReplicas: available,
    currentReplicas: positive(ofRevision(revision)),
    updatedReplicas: positive(updated),
    currentRevision: revision,
    updateRevision,
    collisionCount: history.collisionCount,
  };
}

class StatefulSetSimulation extends WorkloadController {
  constructor(context: SimulationContext) {
    super(context, {
      name: 'simulated-statefulsets',
      type: ['statefulsets', 'apps'],
      children: ['pods', 'controllerrevisions'],
    });
  }

  protected override async reconcile(set: KubeObject): Promise<void> {
    const isPassedOver = (pod: KubeObject): boolean => ordinalOf(set, pod) === undefined;
    await claimChildren({ cluster: this.cluster, type: this.children, owner: set, as, isPassedOver });
    const history = await recordRevision(this.cluster, set, form);
    const nowMs = this.context.clock.now();
    await new StatefulPass(this.cluster, set, { history, pods: await this.childrenOf(set), nowMs }).step();
    await passOnFailure(this.cluster, set, { pods: await this.childrenOf(set), as });
    await this.#report(set, history);
  }

  async #report(set: KubeObject, history: RevisionHistory): Promise<void> {
    const pods = await this.childrenOf(set);
    const seconds = countOf(specOf(set).minReadySeconds, 0);
    const { available, againInMs } = availabilityOf(pods, seconds, this.context.clock.now());
    const object = this.cluster.get(this.type, keyOf(keyText(set))) ?? set;
    const status = statusFor(set, { history, pods, available });
    await writeStatus(this.cluster, { type: this.type, object, as }, status);
    const used = pods.map(revisionOf).filter((name) => name !== undefined);
    const live = new Set([...used, nameOf(history.update), String(status.currentRevision as string)]);
    await truncateHistory(this.cluster, set, { history, live, as });
    this.requeueAfter(set, againInMs);
  }
}

/** Keeps the numbered pods of each StatefulSet and their claims, and a ControllerRevision for each of its templates. */
export function statefulSetSimulation(context: SimulationContext): Controller {
  return new StatefulSetSimulation(context);
}
