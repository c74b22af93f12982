import type { Clock, Logger } from '../base/index.ts';
import { type CacheChange, createCache, type ObjectCache } from './cache.ts';
import type { KubeClient, ListTarget } from './client.ts';
import type { KubeObject } from './kube-object.ts';
import { formatNamespacedName, namespacedName, parseNamespacedName } from './namespaced-name.ts';
import { type PropertyIndex, PropertyIndexes } from './property-index.ts';
import { compareResourceVersions } from './resource-version.ts';
import { createMetadataSharing } from './shared-metadata.ts';

/** The objects of one kind, and the writes of this process that the watch has not shown yet. */
export interface KindCache {
  readonly whenSynced: Promise<void>;
  /** `namespace` is absent for cluster-scoped kinds. */
  get(name: string, namespace?: string): KubeObject | undefined;
  /** Objects that have the label. */
  labelled(label: string, value: string): readonly KubeObject[];
  /** Objects of the namespace. */
  inNamespace(namespace: string): readonly KubeObject[];
  values(): readonly KubeObject[];
  /** Takes in the answer to a write. */
  wrote(object: KubeObject): void;
  subscribe(listener: (change: CacheChange<KubeObject>) => void): Disposable;
}

interface Options {
  readonly kube: KubeClient;
  readonly target: ListTarget;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

interface Written {
  readonly object: KubeObject;
  readonly atMs: number;
}

/** A written object that the watch has not shown after this time was deleted in between. */
const maxUnseenMs = 5_000;

/** Annotation of kubectl that holds a copy of the object: of no use where only metadata is read. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function keyOf(object: KubeObject): string {
  return formatNamespacedName(namespacedName(object));
}

/** Undefined when the versions have no order. */
function order(a: KubeObject, b: KubeObject): number | undefined {
  return compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion);
}

/** Whether the write that is answered with this object has deleted it: its last finalizer was removed. */
function hasDeleted({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

/** A write counts until the watch shows something that is as new. The watch may be faster than the answer: what it has shown to be deleted does not
 *  come back. */
function isNewerThanSeen(written: KubeObject, seen: KubeObject | undefined): boolean {
  return seen === undefined ? !hasDeleted(written) : (order(written, seen) ?? 1) > 0;
}

function projection({ isMetadataOnly = false, projection: part }: ListTarget): (object: KubeObject) => KubeObject {
  const share = createMetadataSharing();
  return (whole) => {
    const object = part === undefined ? whole : part.of(whole);
    const { managedFields: _dropped, ...metadata } = object.metadata;
    if (!isMetadataOnly) return { ...object, metadata };
    const { [lastApplied]: _copy, ...annotations } = metadata.annotations ?? {};
    return share({ ...object, metadata: metadata.annotations === undefined ? metadata : { ...metadata, annotations } });
  };
}

/** Lists and watches the objects of `target`: namespaced or cluster-scoped, whole or only their metadata, filtered by its selectors. */
export function createKindCache(options: Options): KindCache {
  const written = new Map<string, Written>();
  const project = projection(options.target);
  const cache: ObjectCache<KubeObject> = createCache<KubeObject>({ ...options, project });
  const indexes = new PropertyIndexes(() => cache.values());
  // First of all listeners, so that others find what has changed.
  cache.subscribe((change) => {
    indexes.take(change);
    const { before, after } = change;
    const changed = after ?? before;
    if (changed === undefined) return;
    const own = written.get(keyOf(changed))?.object;
    // What the watch shows counts where versions have no order.
    if (own !== undefined && (after === undefined || (order(own, after) ?? 0) <= 0)) written.delete(keyOf(changed));
  });
  const freshest = (seen: KubeObject): KubeObject => {
    const own = written.get(keyOf(seen))?.object;
    return own !== undefined && isNewerThanSeen(own, seen) ? own : seen;
  };
  const unseen = (key: string): KubeObject | undefined => {
    const own = written.get(key);
    if (own === undefined || Math.abs(options.clock.now() - own.atMs) < maxUnseenMs) return own?.object;
    written.delete(key);
    return undefined;
  };
  const indexed = (index: PropertyIndex, value: string): readonly KubeObject[] => {
    const seen = Array.from(index.names(value), ({ namespace, name }) => cache.get(name, namespace));
    const found = seen.filter((object) => object !== undefined).map(freshest);
    for (const key of written.keys()) {
      const { namespace, name } = parseNamespacedName(key);
      const own = cache.get(name, namespace) === undefined ? unseen(key) : undefined;
      if (own !== undefined && index.has(own, value)) found.push(own);
    }
    return found;
  };
  return {
    whenSynced: cache.whenSynced,
    get: (name, namespace = '') => {
      const seen = cache.get(name, namespace);
      return seen === undefined ? unseen(formatNamespacedName({ namespace, name })) : freshest(seen);
    },
    labelled: (label, value) => indexed(indexes.labelled(label), value),
    inNamespace: (namespace) => indexed(indexes.inNamespace, namespace),
    values: () => cache.values().map(freshest),
    wrote: (object) => {
      const { namespace, name } = namespacedName(object);
      if (!isNewerThanSeen(object, cache.get(name, namespace))) return;
      written.set(keyOf(object), { object: project(object), atMs: options.clock.now() });
    },
    subscribe: (listener) => cache.subscribe(listener),
  };
}
