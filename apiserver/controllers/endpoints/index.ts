/** Endpoints and EndpointSlices of Services, and slices of Endpoints of other owners. Main function: `serviceEndpoints`. */
import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import {
  type Cluster,
  type ClusterEvent,
  type KubeObject,
  matchesLabelSelector,
  type ObjectSummary,
} from '../../core/index.ts';
import { type Controller, ignoreNotFound, listInTurns, specOf, statusOf, typeOf } from '../controller.ts';
import { PendingChanges } from '../pending-changes.ts';
import { backendsOf, copiedLabels, selectorOf } from './pod-addresses.ts';
import { mirrorsOf, type SliceContent, slicesOf } from './slices.ts';
import { subsetsOf } from './subsets.ts';

const group = 'discovery.k8s.io';
const endpointsUser = 'system:serviceaccount:kube-system:endpoint-controller';
const slicesUser = 'system:serviceaccount:kube-system:endpointslice-controller';
const serviceLabel = 'kubernetes.io/service-name';
const managedBy = 'endpointslice.kubernetes.io/managed-by';
const endpointsManagedBy = 'endpoints.kubernetes.io/managed-by';
const own = 'endpointslice-controller.k8s.io';
const mirroring = 'endpointslicemirroring-controller.k8s.io';
const skipMirror = 'endpointslice.kubernetes.io/skip-mirror';

/** Whose slices are written, and how. */
interface Owner {
  readonly object: KubeObject;
  readonly kind: 'Service' | 'Endpoints';
  readonly labels: Readonly<Record<string, string>>;
}

/** What of a pod matters to Services. */
function shapeOf(pod: KubeObject | undefined): string {
  if (pod === undefined) return '';
  const { podIP, podIPs, phase, conditions } = statusOf(pod);
  return JSON.stringify([pod.metadata.labels, pod.metadata.deletionTimestamp, podIP, podIPs, phase, conditions]);
}

function isMoved({ type, object, previous }: ClusterEvent): boolean {
  return type !== 'MODIFIED' || shapeOf(object) !== shapeOf(previous);
}

/** The Service of a slice that is kept here. */
function keysOfSlice({ metadata: { namespace = '', labels } }: KubeObject): string[] {
  const service = labels?.[serviceLabel];
  return service === undefined || labels?.[managedBy] === undefined ? [] : [`${namespace}/${service}`];
}

/** Whether Endpoints of other owners are mirrored as slices. */
function isForMirror({ metadata: { labels } }: KubeObject): boolean {
  return labels?.[endpointsManagedBy] === undefined && labels?.[skipMirror] !== 'true';
}

function isSame(slice: KubeObject, labels: Readonly<Record<string, string>>, content: SliceContent): boolean {
  const { endpoints = [], ports } = slice;
  return (
    isJsonEqual(endpoints as JsonValue, [...content.endpoints]) &&
    isJsonEqual((ports ?? []) as JsonValue, [...(content.ports ?? [])]) &&
    isJsonEqual({ ...slice.metadata.labels }, { ...labels })
  );
}

class ServiceEndpoints implements Controller {
  readonly name = 'service-endpoints';
  readonly #cluster: Cluster;
  /** Labels of pods that changed, before and after. */
  readonly #changes = new PendingChanges<Record<string, string>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  keysOf(event: ClusterEvent): Iterable<string> {
    const { resource, object, previous } = event;
    const { namespace = '', name = '' } = object.metadata;
    if (resource.storageKey === 'services' || resource.storageKey === 'endpoints') return [`${namespace}/${name}`];
    if (resource.storageKey === `endpointslices.${group}`) return keysOfSlice(object);
    if (resource.storageKey !== 'pods' || !isMoved(event)) return [];
    const labels = [object.metadata.labels, previous?.metadata.labels].filter((some) => some !== undefined);
    return labels.map((change) => this.#changes.add(namespace, change));
  }

  async concernedIn(namespace: string): Promise<string[]> {
    const changes = this.#changes.take(namespace);
    const selects = ({ selector: matchLabels }: ObjectSummary): boolean =>
      isJsonObject(matchLabels) && changes?.some((labels) => matchesLabelSelector({ matchLabels }, labels)) !== false;
    const where = (service: KubeObject): boolean => selectorOf(service) !== undefined;
    const type = typeOf(this.#cluster, 'services');
    const services = await listInTurns(this.#cluster, type, { namespace, selects, where });
    return services.map(({ metadata }) => `${namespace}/${metadata.name}`);
  }

  async work(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const service = this.#cluster.get(typeOf(this.#cluster, 'services'), { namespace, name });
    const selector = service === undefined ? undefined : selectorOf(service);
    if (service === undefined || selector === undefined) return await this.#withoutSelector(key, service);
    const selects = (pod: ObjectSummary): boolean => matchesLabelSelector(selector, pod.labels);
    const pods = await listInTurns(this.#cluster, typeOf(this.#cluster, 'pods'), { namespace, selects });
    const backends = backendsOf(pods);
    const labels = copiedLabels(service);
    const sliceLabels = { ...labels, [managedBy]: own, [serviceLabel]: name };
    await this.#writeSlices({ object: service, kind: 'Service', labels: sliceLabels }, slicesOf(service, backends));
    await this.#writeEndpoints(
      service,
      { ...labels, [endpointsManagedBy]: 'endpoint-controller' },
      subsetsOf(service, backends),
    );
  }

  /** Deletes what was made for a deleted Service; mirrors Endpoints that a user made for one. */
  async #withoutSelector(key: string, service: KubeObject | undefined): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const type = typeOf(this.#cluster, 'endpoints');
    const endpoints = this.#cluster.get(type, { namespace, name });
    if (endpoints?.metadata.labels?.[endpointsManagedBy] !== undefined) {
      await ignoreNotFound(this.#cluster.delete(type, { namespace, name }, { as: endpointsUser }));
    }
    await this.#deleteSlices(await this.#slicesOf(namespace, name, own));
    if (endpoints === undefined || service === undefined || !isForMirror(endpoints)) {
      return await this.#deleteSlices(await this.#slicesOf(namespace, name, mirroring));
    }
    const labels = { ...endpoints.metadata.labels, [managedBy]: mirroring, [serviceLabel]: name };
    await this.#writeSlices({ object: endpoints, kind: 'Endpoints', labels }, mirrorsOf(endpoints));
  }

  async #slicesOf(namespace: string, service: string, manager: string): Promise<KubeObject[]> {
    const type = typeOf(this.#cluster, 'endpointslices', group);
    const selects = ({ labels }: ObjectSummary): boolean =>
      labels[serviceLabel] === service && labels[managedBy] === manager;
    return await listInTurns(this.#cluster, type, { namespace, selects });
  }

  async #deleteSlices(slices: readonly KubeObject[]): Promise<void> {
    const type = typeOf(this.#cluster, 'endpointslices', group);
    for (const { metadata } of slices) {
      const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
      await ignoreNotFound(this.#cluster.delete(type, key, { as: slicesUser }));
    }
  }

  /** Slices that are there are used again, in their order. */
  async #writeSlices(owner: Owner, desired: readonly SliceContent[]): Promise<void> {
    const { namespace = '', name = '' } = owner.object.metadata;
    const found = await this.#slicesOf(namespace, name, owner.labels[managedBy] ?? '');
    for (const content of desired) {
      const index = found.findIndex((slice) => slice['addressType'] === content.addressType);
      const [slice] = index < 0 ? [] : found.splice(index, 1);
      await this.#writeSlice(owner, content, slice);
    }
    await this.#deleteSlices(found);
  }

  async #writeSlice(
    { object, kind, labels }: Owner,
    content: SliceContent,
    slice: KubeObject | undefined,
  ): Promise<void> {
    const type = typeOf(this.#cluster, 'endpointslices', group);
    const { namespace = '', name = '', uid = '' } = object.metadata;
    const fields = content as unknown as JsonObject;
    if (slice === undefined) {
      const ownerReferences = [{ apiVersion: 'v1', kind, name, uid, controller: true, blockOwnerDeletion: true }];
      const metadata = { namespace, generateName: `${name}-`, labels: { ...labels }, ownerReferences };
      const created = { apiVersion: `${group}/v1`, kind: 'EndpointSlice', metadata, ...fields };
      await this.#cluster.create(type, created, { as: slicesUser });
      return;
    }
    if (isSame(slice, labels, content)) return;
    const changed = { ...slice, metadata: { ...slice.metadata, labels: { ...labels } }, ...fields };
    await ignoreNotFound(this.#cluster.update(type, changed, { as: slicesUser }));
  }

  async #writeEndpoints(
    service: KubeObject,
    labels: Readonly<Record<string, string>>,
    subsets: readonly JsonObject[],
  ): Promise<void> {
    const type = typeOf(this.#cluster, 'endpoints');
    const { namespace = '', name = '' } = service.metadata;
    const found = this.#cluster.get(type, { namespace, name });
    const content = { labels: { ...labels }, subsets: [...subsets] };
    if (found === undefined) {
      if (specOf(service)['type'] === 'ExternalName') return;
      const metadata = { namespace, name, labels: content.labels };
      const object = { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: content.subsets };
      await this.#cluster.create(type, object, { as: endpointsUser });
      return;
    }
    const before = { labels: { ...found.metadata.labels }, subsets: (found['subsets'] ?? []) as JsonValue };
    if (isJsonEqual(before, content)) return;
    const metadata = { ...found.metadata, labels: content.labels };
    await ignoreNotFound(
      this.#cluster.update(type, { ...found, metadata, subsets: content.subsets }, { as: endpointsUser }),
    );
  }
}

/** Keeps up where the pods of each Service are. */
export function serviceEndpoints(cluster: Cluster): Controller {
  return new ServiceEndpoints(cluster);
}
