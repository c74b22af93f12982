import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  type KubeObject,
  objectOf,
  type ResourceType,
} from '../core/index.ts';
import { countedKind, isTerminatingPod, missingCompute, scopeMatcher, usageOf } from '../quota/index.ts';
import {
  addLists,
  compareQuantities,
  maskList,
  parseQuantity,
  type ResourceList,
  resourceList,
  subtractLists,
} from '../schema/index.ts';
import { refusal } from './refusal.ts';

const as = 'system:apiserver';

type Part = 'hard' | 'used';

/** The amounts with these names: all names together may be very many. */
function statusPart(quota: KubeObject, part: Part, names: readonly string[]): ResourceList {
  const amounts = objectOf(objectOf(quota['status'])[part]);
  const own = names.filter((name) => Object.hasOwn(amounts, name));
  return resourceList(Object.fromEntries(own.map((name) => [name, amounts[name] ?? null])));
}

/** The names that a quota limits of a resource. */
function namesIn(hard: JsonValue | undefined, { storageKey }: ResourceType): string[] {
  return Object.keys(objectOf(hard)).filter((name) => countedKind(name) === storageKey);
}

function print(list: ResourceList): string {
  const parts = Object.entries(list).map(([name, amount]) => `${name}=${amount}`);
  return parts.toSorted().join(',');
}

/** Writes that change what a quota counts. */
function isCounted(request: AdmissionRequest): boolean {
  const { operation, resource, subresource, object } = request;
  if (object === undefined || !resource.namespaced) return false;
  if (operation === 'CREATE') return subresource === undefined;
  if (operation !== 'UPDATE') return false;
  if (resource.storageKey === 'pods') return subresource === 'resize' || changesScope(request);
  return subresource === undefined && ['services', 'persistentvolumeclaims'].includes(resource.storageKey);
}

/** A pod that gets a deadline moves from the quotas of scope `NotTerminating` to those of `Terminating`. */
function changesScope({ subresource, object, oldObject }: AdmissionRequest): boolean {
  if (subresource !== undefined || object === undefined || oldObject === undefined) return false;
  return isTerminatingPod(object) !== isTerminatingPod(oldObject);
}

function withoutZeros(list: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([, amount]) => parseQuantity(amount).nanos !== 0n));
}

class QuotaCheck {
  readonly #cluster: Cluster;
  /** The last check of each namespace: the next one sees what it has reserved. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async check(request: AdmissionRequest): Promise<void> {
    const { namespace } = request;
    if (this.#quotasFor(request).length === 0) return;
    const previous = this.#last.get(namespace) ?? Promise.resolve();
    const mine = previous.then(() => this.#reserve(request));
    const settled = mine.catch(() => {}); // reported to the caller
    this.#last.set(namespace, settled);
    try {
      await mine;
    } finally {
      if (this.#last.get(namespace) === settled) this.#last.delete(namespace);
    }
  }

  #quotasFor({ namespace, resource, object }: AdmissionRequest): KubeObject[] {
    const type = this.#cluster.resource('', 'resourcequotas');
    if (type === undefined || object === undefined) return [];
    return this.#cluster.list(type, { namespace }).filter((quota) => {
      const counts = namesIn(objectOf(quota['spec'])['hard'], resource).length > 0;
      return counts && scopeMatcher(quota)(resource.storageKey, object);
    });
  }

  async #reserve(request: AdmissionRequest): Promise<void> {
    const changes = this.#quotasFor(request)
      .map((quota) => ({ quota, added: this.#added(request, quota) }))
      .filter(({ added }) => Object.keys(added).length > 0);
    for (const { quota, added } of changes) checkLimit(request, quota, added);
    if (request.dryRun) return;
    for (const { quota, added } of changes) await this.#write(quota, added);
  }

  /** What a write adds to what a quota counts.
   *  @throws StatusError 403 when the quota has no usage of it */
  #added(request: AdmissionRequest, quota: KubeObject): ResourceList {
    const { resource, object, oldObject } = request;
    const status = objectOf(quota['status']);
    const names = namesIn(status['hard'], resource);
    const name = quota.metadata.name ?? '';
    const used = objectOf(status['used']);
    const requested = namesIn(objectOf(quota['spec'])['hard'], resource);
    const missing = resource.storageKey === 'pods' && object !== undefined ? missingCompute(object, requested) : '';
    if (missing !== '') throw refusal(request, `failed quota: ${name}: ${missing}`);
    const unknown = requested.filter((item) => !Object.hasOwn(used, item)).toSorted();
    if (unknown.length > 0)
      throw refusal(request, `status unknown for quota: ${name}, resources: ${unknown.join(',')}`);
    const now = usageOf(resource, object as KubeObject);
    const wasCounted = oldObject !== undefined && scopeMatcher(quota)(resource.storageKey, oldObject);
    const before = wasCounted ? usageOf(resource, oldObject) : {};
    return maskList(withoutZeros(subtractLists(now, before)), names);
  }

  async #write(quota: KubeObject, added: ResourceList): Promise<void> {
    const type = this.#cluster.resource('', 'resourcequotas');
    if (type === undefined) return;
    const used = addLists(statusPart(quota, 'used', Object.keys(added)), added);
    const { namespace = '', name = '' } = quota.metadata;
    const patch = { status: { used: { ...used } } } as unknown as JsonObject;
    await this.#cluster.patch(type, { namespace, name }, patch, { as, subresource: 'status' });
  }
}

function checkLimit(request: AdmissionRequest, quota: KubeObject, added: ResourceList): void {
  const names = Object.keys(added);
  const [hard, used] = [statusPart(quota, 'hard', names), statusPart(quota, 'used', names)];
  const total = addLists(used, added);
  const exceeded = Object.keys(added).filter((name) => compareQuantities(total[name] ?? '0', hard[name] ?? '0') > 0);
  if (exceeded.length === 0) return;
  const [requested, had, limited] = [added, used, hard].map((list) => print(maskList(list, exceeded)));
  const why = `exceeded quota: ${quota.metadata.name}, requested: ${requested}, used: ${had}, limited: ${limited}`;
  throw refusal(request, why);
}

/** Nothing is made that a quota of its namespace has no room for; what is made is counted at once. */
export function resourceQuota(cluster: Cluster): AdmissionPlugin {
  const check = new QuotaCheck(cluster);
  return {
    name: 'ResourceQuota',
    validate: async (request) => {
      if (isCounted(request)) await check.check(request);
    },
  };
}
