import { type Clock, isJsonEqual, type JsonValue } from '../../src/base/index.ts';
import type { Cluster, ClusterEvent, KubeObject, ResourceType } from '../core/index.ts';
import { countedKind, isTerminatingPod, scopeMatcher, usageOf } from '../quota/index.ts';
import { addTo, maskList, type ResourceList, resourceList } from '../schema/index.ts';
import { Appointments } from './appointments.ts';
import { type Controller, ignoreNotFound, specOf, statusOf, typeOf } from './controller.ts';

const as = 'system:serviceaccount:kube-system:resourcequota-controller';
/** Admission reserves before the write is stored. What a write reserved that then failed is freed by counting again this often, as
 *  kube-controller-manager does. */
const resyncPeriodMs = 5 * 60_000;

function phaseOf(object: KubeObject | undefined): JsonValue | undefined {
  return object === undefined ? undefined : statusOf(object)['phase'];
}

/** Whether less may be used after an event than before. */
function mayFree({ type, resource, object, previous }: ClusterEvent): boolean {
  if (type === 'DELETED') return true;
  if (resource.storageKey === 'pods') {
    const changesScope = previous !== undefined && isTerminatingPod(object) !== isTerminatingPod(previous);
    return changesScope || phaseOf(object) !== phaseOf(previous);
  }
  return type === 'MODIFIED' && ['services', 'persistentvolumeclaims'].includes(resource.storageKey);
}

class ResourceQuotas implements Controller {
  readonly name = 'resource-quota';
  readonly #cluster: Cluster;
  /** How many quotas each namespace has: most have none, and then nothing is looked at. */
  readonly #namespaces = new Map<string, Set<string>>();

  readonly #clock: Clock;
  #resyncs: Appointments | undefined;

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  start(again: (key: string) => void): Disposable {
    this.#resyncs = new Appointments(this.#clock, again);
    return this.#resyncs;
  }

  /** What is made is counted by admission, before it is there; only what goes or ends is looked at again. */
  keysOf(event: ClusterEvent): Iterable<string> {
    if (event.resource.storageKey === 'resourcequotas') return this.#learn(event);
    const quotas = this.#namespaces.get(event.object.metadata.namespace ?? '');
    return quotas !== undefined && mayFree(event) ? quotas : [];
  }

  async work(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const type = typeOf(this.#cluster, 'resourcequotas');
    const quota = this.#cluster.get(type, { namespace, name });
    this.#resyncs?.set(key, quota === undefined ? undefined : resyncPeriodMs);
    if (quota === undefined) return;
    const hard = resourceList(specOf(quota)['hard']);
    const status = { hard: { ...hard }, used: { ...(await this.#used(quota, hard, namespace)) } };
    if (isJsonEqual(status as unknown as JsonValue, statusOf(quota))) return;
    await ignoreNotFound(this.#cluster.update(type, { ...quota, status } as KubeObject, { as, subresource: 'status' }));
  }

  #learn({ type, object, previous }: ClusterEvent): Iterable<string> {
    const { namespace = '', name = '' } = object.metadata;
    const key = `${namespace}/${name}`;
    const quotas = this.#namespaces.get(namespace) ?? new Set<string>();
    if (type === 'DELETED') quotas.delete(key);
    else quotas.add(key);
    if (quotas.size === 0) this.#namespaces.delete(namespace);
    else this.#namespaces.set(namespace, quotas);
    const isSame = previous !== undefined && isJsonEqual(specOf(object), specOf(previous));
    return type === 'DELETED' || isSame ? [] : [key];
  }

  /** Names of resources that are not served keep the written values. */
  async #used(quota: KubeObject, hard: ResourceList, namespace: string): Promise<ResourceList> {
    const names = Object.keys(hard);
    let used = maskList(resourceList(statusOf(quota)['used']), names);
    const namesOf = Map.groupBy(names, countedKind);
    for (const type of this.#cluster.resources()) {
      const own = namesOf.get(type.storageKey);
      if (own !== undefined) used = { ...used, ...(await this.#usedOf(type, quota, { names: own, namespace })) };
    }
    return used;
  }

  async #usedOf(
    type: ResourceType,
    quota: KubeObject,
    { names, namespace }: { readonly names: readonly string[]; readonly namespace: string },
  ): Promise<ResourceList> {
    const sum: Record<string, string> = {};
    const own = new Set(names);
    const matches = scopeMatcher(quota);
    const where = (object: KubeObject): boolean => matches(type.storageKey, object);
    for await (const object of this.#cluster.eachInTurns(type, { namespace, where })) {
      addTo(sum, maskList(usageOf(type, object), own));
    }
    return { ...Object.fromEntries(names.map((name) => [name, '0'])), ...sum };
  }
}

/** Keeps up what of each ResourceQuota is used. */
export function resourceQuotas(cluster: Cluster, clock: Clock): Controller {
  return new ResourceQuotas(cluster, clock);
}
