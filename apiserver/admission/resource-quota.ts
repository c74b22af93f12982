import { type JsonObject, type JsonValue, lazily } from '../../src/base/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  type Cluster,
  type KubeObject,
  type ObjectKey,
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
function picked(list: JsonObject, names: readonly string[]): ResourceList {
  const own = names.filter((name) => Object.hasOwn(list, name));
  return resourceList(Object.fromEntries(own.map((name) => [name, list[name] ?? null])));
}

function statusPart(quota: KubeObject, part: Part, names: readonly string[]): ResourceList {
  return picked(objectOf(objectOf(quota['status'])[part]), names);
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

/** What a write asks of quotas: read once for all of them, of which there may be very many. */
class Demand {
  readonly #request: AdmissionRequest;
  readonly #now: () => ResourceList;
  readonly #before: () => ResourceList;
  readonly #missing: (limited: readonly string[]) => string;

  constructor(request: AdmissionRequest, object: KubeObject) {
    const { resource, oldObject } = request;
    this.#request = request;
    this.#now = lazily(() => usageOf(resource, object));
    this.#before = lazily(() => (oldObject === undefined ? {} : usageOf(resource, oldObject)));
    this.#missing = resource.storageKey === 'pods' ? missingCompute(object) : () => '';
  }

  /** What a write adds to what a quota counts.
   *  @throws StatusError 403 when the quota has no usage of it */
  addedTo(quota: KubeObject): ResourceList {
    const { resource, oldObject } = this.#request;
    const { name = '' } = quota.metadata;
    const requested = namesIn(objectOf(quota['spec'])['hard'], resource);
    const missing = this.#missing(requested);
    if (missing !== '') throw refusal(this.#request, `failed quota: ${name}: ${missing}`);
    const status = objectOf(quota['status']);
    const used = objectOf(status['used']);
    const unknown = requested.filter((item) => !Object.hasOwn(used, item)).toSorted();
    if (unknown.length > 0)
      throw refusal(this.#request, `status unknown for quota: ${name}, resources: ${unknown.join(',')}`);
    const names = namesIn(status['hard'], resource);
    const wasCounted = oldObject !== undefined && scopeMatcher(quota)(resource.storageKey, oldObject);
    const before = wasCounted ? picked(this.#before(), names) : {};
    return withoutZeros(subtractLists(picked(this.#now(), names), before));
  }
}

/** What is to be added to a quota. */
interface Reservation {
  readonly key: ObjectKey;
  readonly added: ResourceList;
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
    if (!(await this.#isLimited(request))) return;
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

  /** One after another, while others have their turn. */
  #quotasFor({ namespace, resource, object }: AdmissionRequest): AsyncIterable<KubeObject> | Iterable<KubeObject> {
    const type = this.#cluster.resource('', 'resourcequotas');
    if (type === undefined || object === undefined) return [];
    const where = (quota: KubeObject): boolean => {
      const counts = namesIn(objectOf(quota['spec'])['hard'], resource).length > 0;
      return counts && scopeMatcher(quota)(resource.storageKey, object);
    };
    return this.#cluster.eachInTurns(type, { namespace, where });
  }

  async #isLimited(request: AdmissionRequest): Promise<boolean> {
    for await (const _quota of this.#quotasFor(request)) return true;
    return false;
  }

  async #reserve(request: AdmissionRequest): Promise<void> {
    const { object } = request;
    if (object === undefined) return;
    const demand = new Demand(request, object);
    const reservations: Reservation[] = [];
    for await (const quota of this.#quotasFor(request)) {
      const added = demand.addedTo(quota);
      if (Object.keys(added).length === 0) continue;
      checkLimit(request, quota, added);
      const { namespace = '', name = '' } = quota.metadata;
      reservations.push({ key: { namespace, name }, added });
    }
    if (request.dryRun) return;
    for (const reservation of reservations) await this.#write(reservation);
  }

  /** What the quota has by now counts: it may be counted again meanwhile. */
  async #write({ key, added }: Reservation): Promise<void> {
    const type = this.#cluster.resource('', 'resourcequotas');
    const quota = type === undefined ? undefined : this.#cluster.get(type, key);
    if (type === undefined || quota === undefined) return;
    const used = addLists(statusPart(quota, 'used', Object.keys(added)), added);
    const patch = { status: { used: { ...used } } } as unknown as JsonObject;
    await this.#cluster.patch(type, key, patch, { as, subresource: 'status' });
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
