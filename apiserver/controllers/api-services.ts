import type { JsonValue } from '../../src/base/index.ts';
import type { Cluster, ClusterEvent, KubeObject } from '../core/index.ts';
import { type Controller, ignoreNotFound, objectsIn, specOf, statusOf, typeOf } from './controller.ts';

const as = 'system:apiserver';
const group = 'apiregistration.k8s.io';
const definitions = 'customresourcedefinitions.apiextensions.k8s.io';
const automanaged = 'kube-aggregator.kubernetes.io/automanaged';

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
  /** By name, the definitions that have such a version. */
  readonly #desired = new Map<string, Set<string>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  keysOf(event: ClusterEvent): Iterable<string> {
    const { resource, object } = event;
    const { name = '' } = object.metadata;
    if (resource.storageKey === definitions) return this.#learn(event);
    if (resource.storageKey === `apiservices.${group}`) return [name];
    return [];
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
    }
  }

  #learn({ type, object }: ClusterEvent): string[] {
    const { name = '' } = object.metadata;
    const has = type !== 'DELETED' && isEstablished(object) ? namesFor(object) : [];
    const before = [...this.#desired].filter(([, owners]) => owners.has(name)).map(([service]) => service);
    for (const service of before) this.#desired.get(service)?.delete(name);
    for (const service of has) this.#desired.set(service, (this.#desired.get(service) ?? new Set()).add(name));
    return [...new Set([...before, ...has])];
  }
}

/** An APIService for each served version of a custom resource. */
export function apiServices(cluster: Cluster): Controller {
  return new ApiServices(cluster);
}
