import type { Clock, Logger } from '../base/index.ts';
import { type CacheChange, createCache, type ObjectCache } from './cache.ts';
import type { KubeClient } from './client.ts';
import type { KubeObject } from './kube-object.ts';

/** All objects of one cluster-scoped kind, and on top what this process has written and the watch has not shown yet. */
export interface KindCache {
  readonly whenSynced: Promise<void>;
  get(name: string): KubeObject | undefined;
  /** Objects that bear the label. */
  labelled(label: string, value: string): readonly KubeObject[];
  values(): readonly KubeObject[];
  /** Takes in the answer to a write. */
  wrote(object: KubeObject): void;
  subscribe(listener: (change: CacheChange<KubeObject>) => void): Disposable;
}

interface Options {
  readonly kube: KubeClient;
  readonly resource: { readonly apiVersion: string; readonly kind: string };
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

interface Written {
  readonly object: KubeObject;
  readonly atMs: number;
}

/** An object that was written and that the watch has not shown after this time was removed in between. */
const maxUnseenMs = 5_000;

function isNewer(a: KubeObject, b: KubeObject | undefined): boolean {
  return b === undefined || Number(a.metadata.resourceVersion) > Number(b.metadata.resourceVersion);
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Follows `resource`. */
export function createKindCache(options: Options): KindCache {
  const written = new Map<string, Written>();
  const { apiVersion, kind } = options.resource;
  const cache: ObjectCache<KubeObject> = createCache<KubeObject>({
    ...options,
    target: { apiVersion, kind },
    project: withoutManagedFields,
    index: ({ metadata }) => Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`),
  });
  cache.subscribe(({ before, after }) => {
    const name = after?.metadata.name ?? before?.metadata.name ?? '';
    const mine = written.get(name)?.object;
    if (mine !== undefined && (after === undefined || !isNewer(mine, after))) written.delete(name);
  });
  const freshest = (seen: KubeObject): KubeObject => {
    const mine = written.get(seen.metadata.name ?? '')?.object;
    return mine !== undefined && isNewer(mine, seen) ? mine : seen;
  };
  const unseen = (name: string): KubeObject | undefined => {
    const mine = written.get(name);
    if (mine === undefined || Math.abs(options.clock.now() - mine.atMs) < maxUnseenMs) return mine?.object;
    written.delete(name);
    return undefined;
  };
  return {
    whenSynced: cache.whenSynced,
    get: (name) => {
      const seen = cache.get(name);
      return seen === undefined ? unseen(name) : freshest(seen);
    },
    labelled: (label, value) => {
      const found = cache.indexed(`${label}=${value}`).map(freshest);
      for (const name of written.keys()) {
        const mine = cache.get(name) === undefined ? unseen(name) : undefined;
        if (mine?.metadata.labels?.[label] === value) found.push(mine);
      }
      return found;
    },
    values: () => cache.values().map(freshest),
    wrote: (object) => {
      const name = object.metadata.name ?? '';
      if (!isNewer(object, cache.get(name))) return;
      written.set(name, { object: withoutManagedFields(object), atMs: options.clock.now() });
    },
    subscribe: (listener) => cache.subscribe(listener),
  };
}
