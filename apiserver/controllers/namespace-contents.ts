import { type Clock, formatTimestamp, isJsonEqual, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { type Cluster, groupResource, type KubeObject, type ResourceType } from '../core/index.ts';
import type { ContentsElsewhere, Remaining, RemainingElsewhere } from './contents-elsewhere.ts';
import { type Controller, ignoreNotFound, objectsIn, specOf, statusOf, typeOf } from './controller.ts';

const as = 'system:serviceaccount:kube-system:namespace-controller';

interface Observation {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

function countFinalizers(counts: Map<string, number>, { metadata }: KubeObject): void {
  for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
}

function joined(counts: ReadonlyMap<string, number>, verb: string): string {
  const parts = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return parts.map(([name, count]) => `${name} ${verb} ${count} resource instances`).join(', ');
}

function discoveryObservation(undiscovered: readonly string[]): Observation {
  const type = 'NamespaceDeletionDiscoveryFailure';
  if (undiscovered.length === 0) {
    const message = 'All resources successfully discovered';
    return { type, status: 'False', reason: 'ResourcesDiscovered', message };
  }
  const each = undiscovered.toSorted().map((version) => `${version}: stale GroupVersion discovery: ${version}`);
  const failure = `unable to retrieve the complete list of server APIs: ${each.join(', ')}`;
  const message = `Discovery failed for some groups, ${undiscovered.length} failing: ${failure}`;
  return { type, status: 'True', reason: 'DiscoveryFailed', message };
}

function deletionObservation(failures: readonly string[]): Observation {
  const type = 'NamespaceDeletionContentFailure';
  if (failures.length === 0) {
    const message = 'All content successfully deleted, may be waiting on finalization';
    return { type, status: 'False', reason: 'ContentDeleted', message };
  }
  const message = `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`;
  return { type, status: 'True', reason: 'ContentDeletionFailed', message };
}

function observe({ resources, finalizers, undiscovered, failures }: RemainingElsewhere): Observation[] {
  const hasContent = resources.size > 0;
  const hasFinalizers = finalizers.size > 0;
  return [
    discoveryObservation(undiscovered),
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    deletionObservation(failures),
    {
      type: 'NamespaceContentRemaining',
      status: hasContent ? 'True' : 'False',
      reason: hasContent ? 'SomeResourcesRemain' : 'ContentRemoved',
      message: hasContent
        ? `Some resources are remaining: ${joined(resources, 'has')}`
        : 'All content successfully removed',
    },
    {
      type: 'NamespaceFinalizersRemaining',
      status: hasFinalizers ? 'True' : 'False',
      reason: hasFinalizers ? 'SomeFinalizersRemain' : 'ContentHasNoFinalizers',
      message: hasFinalizers
        ? `Some content in the namespace has finalizers remaining: ${joined(finalizers, 'in')}`
        : 'All content-preserving finalizers finished',
    },
  ];
}

function conditionsFrom(old: readonly JsonObject[], observations: readonly Observation[], now: string): JsonObject[] {
  const others = old.filter(({ type }) => observations.every((observation) => observation.type !== type));
  const fresh = observations.map((observation): JsonObject => {
    const before = old.find(({ type }) => type === observation.type);
    const isSame = before?.status === observation.status && typeof before.lastTransitionTime === 'string';
    return { ...observation, lastTransitionTime: isSame ? (before.lastTransitionTime as string) : now };
  });
  return [...others, ...fresh];
}

/** Together, what this server and others have. */
function joinRemaining(own: Remaining, elsewhere: RemainingElsewhere): RemainingElsewhere {
  const finalizers = new Map(own.finalizers);
  for (const [name, count] of elsewhere.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  return { ...elsewhere, resources: new Map([...own.resources, ...elsewhere.resources]), finalizers };
}

class NamespaceContents implements Controller {
  readonly name = 'namespace';
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #elsewhere: ContentsElsewhere;
  readonly #terminating = new Set<string>();

  constructor(cluster: Cluster, clock: Clock, elsewhere: ContentsElsewhere) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#elsewhere = elsewhere;
  }

  start(again: (key: string) => void): Disposable {
    return this.#elsewhere.follow(again);
  }

  keysOf({ type, resource, object }: Parameters<Controller['keysOf']>[0]): Iterable<string> {
    if (resource.storageKey !== 'namespaces') {
      const namespace = object.metadata.namespace ?? '';
      return this.#terminating.has(namespace) ? [namespace] : [];
    }
    const name = object.metadata.name ?? '';
    const isBeingDeleted = type !== 'DELETED' && object.metadata.deletionTimestamp !== undefined;
    if (isBeingDeleted) this.#terminating.add(name);
    else this.#terminating.delete(name);
    return isBeingDeleted || type === 'DELETED' ? [name] : [];
  }

  async work(name: string): Promise<void> {
    const type = typeOf(this.#cluster, 'namespaces');
    const namespace = this.#cluster.get(type, { namespace: '', name });
    if (namespace === undefined) {
      // Someone took the finalizer off: nothing may stay in a namespace that is not there.
      await this.#deleteContents(name, undefined);
      return;
    }
    if (namespace.metadata.deletionTimestamp === undefined) return;
    await this.#deleteContents(name, namespace.metadata.uid);
    const elsewhere = this.#elsewhere.remaining(name);
    if (elsewhere === undefined) return;
    const remaining = joinRemaining(await this.#count(name), elsewhere);
    const { resources, undiscovered, failures } = remaining;
    if (resources.size + undiscovered.length + failures.length > 0) {
      await this.#writeConditions(type, namespace, remaining);
    } else {
      await this.#finalize(type, await this.#writeLastConditions(type, namespace, remaining));
    }
  }

  /** They are read only while another finalizer holds the namespace: that they have no room on a full disk does not hold it as well. */
  async #writeLastConditions(
    type: ResourceType,
    namespace: KubeObject,
    remaining: RemainingElsewhere,
  ): Promise<KubeObject> {
    try {
      return await this.#writeConditions(type, namespace, remaining);
    } catch {
      return namespace;
    }
  }

  #contentTypes(): ResourceType[] {
    return this.#cluster.resources().filter((type) => type.namespaced && type.verbs.includes('delete'));
  }

  /** Ends once another namespace has the name, which may be created when someone took the finalizer off: what is in it then stays. */
  async #deleteContents(namespace: string, uid: string | undefined): Promise<void> {
    const namespaces = typeOf(this.#cluster, 'namespaces');
    for (const type of this.#contentTypes()) {
      for await (const { metadata } of this.#cluster.eachInTurns(type, { namespace })) {
        const uidNow = this.#cluster.get(namespaces, { namespace: '', name: namespace })?.metadata.uid;
        if (uidNow !== undefined && uidNow !== uid) return;
        if (metadata.deletionTimestamp !== undefined) continue;
        const key = { namespace, name: metadata.name ?? '' };
        await ignoreNotFound(this.#cluster.delete(type, key, { as, propagationPolicy: 'Background' }));
      }
    }
  }

  async #count(namespace: string): Promise<Remaining> {
    const resources = new Map<string, number>();
    const finalizers = new Map<string, number>();
    for (const type of this.#contentTypes()) {
      const name = type.group === '' ? `${type.plural}.` : groupResource(type);
      for await (const object of this.#cluster.eachInTurns(type, { namespace })) {
        resources.set(name, (resources.get(name) ?? 0) + 1);
        countFinalizers(finalizers, object);
      }
    }
    return { resources, finalizers };
  }

  async #writeConditions(
    type: ResourceType,
    namespace: KubeObject,
    remaining: RemainingElsewhere,
  ): Promise<KubeObject> {
    const status = statusOf(namespace);
    const old = objectsIn(status.conditions);
    const conditions = conditionsFrom(old, observe(remaining), formatTimestamp(this.#clock.now()));
    if (isJsonEqual(old, conditions)) return namespace;
    const changed = { ...namespace, status: { ...status, phase: 'Terminating', conditions } } as KubeObject;
    return await this.#cluster.update(type, changed, { as, subresource: 'status' });
  }

  async #finalize(type: ResourceType, namespace: KubeObject): Promise<void> {
    const spec = specOf(namespace);
    const old: JsonValue[] = Array.isArray(spec.finalizers) ? spec.finalizers : [];
    const finalizers = old.filter((name) => name !== 'kubernetes');
    if (finalizers.length === old.length) return;
    const changed = { ...namespace, spec: { ...spec, finalizers } } as KubeObject;
    await ignoreNotFound(this.#cluster.update(type, changed, { as, subresource: 'finalize' }));
  }
}

/** Empties namespaces that are being deleted, reports in conditions what still blocks them, and finalizes them. */
export function namespaceContents(cluster: Cluster, clock: Clock, elsewhere: ContentsElsewhere): Controller {
  return new NamespaceContents(cluster, clock, elsewhere);
}
