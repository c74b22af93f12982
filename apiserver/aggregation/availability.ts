import type { Clock, JsonObject } from '../../src/base/index.ts';
import { formatTimestamp, isJsonEqual } from '../../src/base/index.ts';
import { Appointments, type Controller, ignoreNotFound, objectsIn, specOf, statusOf } from '../controllers/index.ts';
import type { Cluster, ClusterEvent, KubeObject } from '../core/index.ts';
import { apiServiceType, type Backends, backendOf } from './backends.ts';
import { type AvailableCondition, local, serviceProblem } from './conditions.ts';
import { checkDiscovery } from './discovery-check.ts';
import type { ExtensionDocuments } from './extension-documents.ts';

const as = 'system:apiserver';
/** Between looks at a server that is available, and at one that is not. */
const availableWaitMs = 30_000;
const firstFailureWaitMs = 1_000;
const apiServices = 'apiservices.apiregistration.k8s.io';
const endpointSlices = 'endpointslices.discovery.k8s.io';
const backendKeys = new Set(['services', 'endpoints', endpointSlices]);

/** Reports in the condition `Available` which APIServices can be used, and reads the documents of those. */
export class Availability implements Controller {
  readonly name = 'api-service-availability';
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #backends: Backends;
  readonly #documents: ExtensionDocuments;
  readonly #failures = new Map<string, number>();
  #appointments: Appointments | undefined;

  constructor(deps: { cluster: Cluster; clock: Clock; backends: Backends; documents: ExtensionDocuments }) {
    this.#cluster = deps.cluster;
    this.#clock = deps.clock;
    this.#backends = deps.backends;
    this.#documents = deps.documents;
  }

  start(again: (key: string) => void): Disposable {
    this.#appointments = new Appointments(this.#clock, again);
    return this.#appointments;
  }

  keysOf(event: ClusterEvent): Iterable<string> {
    const { resource, object } = event;
    const { name = '', namespace = '', labels } = object.metadata;
    if (resource.storageKey === apiServices) return isStatusAlone(event) ? [] : [name];
    if (!backendKeys.has(resource.storageKey)) return [];
    const isSlice = resource.storageKey === endpointSlices;
    return this.#servedBy(namespace, isSlice ? (labels?.['kubernetes.io/service-name'] ?? '') : name);
  }

  async work(name: string): Promise<void> {
    const found = this.#cluster.get(apiServiceType(this.#cluster), { namespace: '', name });
    const backend = found === undefined ? undefined : backendOf(found);
    if (found === undefined || backend === undefined) this.#forget(name);
    if (found === undefined) return;
    const condition =
      backend === undefined
        ? local
        : (serviceProblem(this.#cluster, backend) ?? (await checkDiscovery(this.#backends, backend)));
    await this.#report(found, condition);
    if (backend === undefined) return;
    this.#checkAgain(name, condition.status === 'True');
    await this.#documents.refresh(backend, condition.status === 'True');
  }

  #forget(name: string): void {
    this.#appointments?.set(name, undefined);
    this.#failures.delete(name);
    this.#documents.forget(name);
    this.#backends.forget(name);
  }

  #checkAgain(name: string, isAvailable: boolean): void {
    const failures = isAvailable ? 0 : (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    const backOffMs = firstFailureWaitMs * 2 ** Math.min(failures - 1, 10);
    this.#appointments?.set(name, isAvailable ? availableWaitMs : Math.min(backOffMs, availableWaitMs));
  }

  #servedBy(namespace: string, name: string): string[] {
    const backends = this.#cluster.list(apiServiceType(this.#cluster)).map(backendOf);
    const served = backends.filter((one) => one?.service.namespace === namespace && one.service.name === name);
    return served.map((one) => one?.name ?? '');
  }

  async #report(object: KubeObject, condition: AvailableCondition): Promise<void> {
    const old = objectsIn(statusOf(object)['conditions']);
    const before = old.find(({ type }) => type === 'Available');
    const now = formatTimestamp(this.#clock.now());
    const isSame = before?.['status'] === condition.status;
    const lastTransitionTime = isSame ? (before?.['lastTransitionTime'] ?? now) : now;
    const available: JsonObject = { type: 'Available', ...condition, lastTransitionTime };
    const conditions = [...old.filter(({ type }) => type !== 'Available'), available];
    if (isJsonEqual(conditions, old)) return;
    const changed = { ...object, status: { ...statusOf(object), conditions } };
    await ignoreNotFound(this.#cluster.update(apiServiceType(this.#cluster), changed, { as, subresource: 'status' }));
  }
}

/** A change that the server writes itself, after it has checked. */
function isStatusAlone({ type, object, previous }: ClusterEvent): boolean {
  if (type !== 'MODIFIED' || previous === undefined) return false;
  const isSameMetadata = isJsonEqual({ ...object.metadata.annotations }, { ...previous.metadata.annotations });
  return isSameMetadata && isJsonEqual(specOf(object), specOf(previous));
}
