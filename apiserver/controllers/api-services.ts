import {
  type Clock,
  formatTimestamp,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../src/base/index.ts';
import type { Cluster, ClusterEvent, KubeObject } from '../core/index.ts';
import { type Controller, ignoreNotFound, objectsIn, specOf, statusOf, typeOf } from './controller.ts';

const as = 'system:apiserver';
const group = 'apiregistration.k8s.io';
const definitions = 'customresourcedefinitions.apiextensions.k8s.io';
const automanaged = 'kube-aggregator.kubernetes.io/automanaged';

interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Names of the APIServices that a definition has: one a served version. */
function namesFor(definition: KubeObject): string[] {
  const spec = specOf(definition);
  const served = objectsIn(spec['versions']).filter((version) => version['served'] === true);
  return served.map(({ name }) => `${text(name)}.${text(spec['group'])}`);
}

function isEstablished(definition: KubeObject): boolean {
  const conditions = objectsIn(statusOf(definition)['conditions']);
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

function customApiService(name: string): KubeObject {
  const dot = name.indexOf('.');
  const spec = {
    group: name.slice(dot + 1),
    version: name.slice(0, dot),
    groupPriorityMinimum: 1000,
    versionPriority: 100,
  };
  return {
    apiVersion: `${group}/v1`,
    kind: 'APIService',
    metadata: { name, labels: { [automanaged]: 'true' } },
    spec,
  };
}

class ApiServices implements Controller {
  readonly name = 'api-services';
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  /** By name, the definitions that have such a version. */
  readonly #desired = new Map<string, Set<string>>();

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  keysOf(event: ClusterEvent): Iterable<string> {
    const { resource, object } = event;
    const { name = '', namespace = '' } = object.metadata;
    if (resource.storageKey === definitions) return this.#learn(event);
    if (resource.storageKey === `apiservices.${group}`) return [name];
    const isBackend = resource.storageKey === 'services' || resource.storageKey === 'endpoints';
    return isBackend ? this.#servedBy(namespace, name) : [];
  }

  async work(name: string): Promise<void> {
    const type = typeOf(this.#cluster, 'apiservices', group);
    const found = this.#cluster.get(type, { namespace: '', name });
    const isDesired = (this.#desired.get(name)?.size ?? 0) > 0;
    if (found === undefined) {
      if (isDesired) await this.#cluster.create(type, customApiService(name), { as });
      return;
    }
    if (!isDesired && found.metadata.labels?.[automanaged] === 'true') {
      await ignoreNotFound(this.#cluster.delete(type, { namespace: '', name }, { as }));
      return;
    }
    await this.#report(found);
  }

  #learn({ type, object }: ClusterEvent): string[] {
    const { name = '' } = object.metadata;
    const has = type !== 'DELETED' && isEstablished(object) ? namesFor(object) : [];
    const before = [...this.#desired].filter(([, owners]) => owners.has(name)).map(([service]) => service);
    for (const service of before) this.#desired.get(service)?.delete(name);
    for (const service of has) this.#desired.set(service, (this.#desired.get(service) ?? new Set()).add(name));
    return [...new Set([...before, ...has])];
  }

  #servedBy(namespace: string, name: string): string[] {
    const all = this.#cluster.list(typeOf(this.#cluster, 'apiservices', group));
    const isServed = (object: KubeObject): boolean => {
      const { service } = specOf(object);
      return isJsonObject(service) && service['namespace'] === namespace && service['name'] === name;
    };
    return all.filter(isServed).map(({ metadata }) => metadata.name ?? '');
  }

  #availabilityOf(object: KubeObject): Availability {
    const { service } = specOf(object);
    if (!isJsonObject(service)) {
      return { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
    }
    const [namespace, name] = [text(service['namespace']), text(service['name'])];
    const port = Number(service['port'] ?? 443);
    const where = `service/${name} in ${JSON.stringify(namespace)}`;
    const found = this.#cluster.get(typeOf(this.#cluster, 'services'), { namespace, name });
    if (found === undefined) return { status: 'False', reason: 'ServiceNotFound', message: `${where} is not present` };
    if (!objectsIn(specOf(found)['ports']).some((own) => own['port'] === port)) {
      return { status: 'False', reason: 'ServicePortError', message: `${where} is not listening on port ${port}` };
    }
    const endpoints = this.#cluster.get(typeOf(this.#cluster, 'endpoints'), { namespace, name });
    if (objectsIn(endpoints?.['subsets']).some(({ addresses }) => objectsIn(addresses).length > 0)) {
      const message = 'this server does not forward requests to extension servers';
      return { status: 'False', reason: 'FailedDiscoveryCheck', message };
    }
    const message = `endpoints for ${where} have no addresses`;
    return { status: 'False', reason: endpoints === undefined ? 'EndpointsNotFound' : 'MissingEndpoints', message };
  }

  async #report(object: KubeObject): Promise<void> {
    const availability = this.#availabilityOf(object);
    const old = objectsIn(statusOf(object)['conditions']);
    const before = old.find(({ type }) => type === 'Available');
    const isSame = before?.['status'] === availability.status;
    const now = formatTimestamp(this.#clock.now());
    const lastTransitionTime = isSame ? (before?.['lastTransitionTime'] ?? now) : now;
    const condition: JsonObject = { type: 'Available', ...availability, lastTransitionTime };
    const conditions = [...old.filter(({ type }) => type !== 'Available'), condition];
    if (isJsonEqual(conditions, old)) return;
    const type = typeOf(this.#cluster, 'apiservices', group);
    const changed = { ...object, status: { ...statusOf(object), conditions } };
    await ignoreNotFound(this.#cluster.update(type, changed, { as, subresource: 'status' }));
  }
}

/** An APIService for each served version of a custom resource; reports the availability of all. */
export function apiServices(cluster: Cluster, clock: Clock): Controller {
  return new ApiServices(cluster, clock);
}
