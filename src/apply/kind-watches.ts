import { bundleDeploymentResource, ownerKindLabel } from '../api/index.ts';
import type { Clock, Logger } from '../base/index.ts';
import {
  createCache,
  groupOf,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  type ObjectCache,
  type ObjectRef,
  refKey,
  refOf,
} from '../kube/index.ts';
import type { KindRef } from './kind-list.ts';
import { fingerprintOf, isKept, labelledOwner, referencedOwners } from './ownership.ts';

/** What is kept in memory of an installed object. */
export interface InstalledObject {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly owner: string;
  /** Whether an owner reference to a BundleDeployment of the label's name is there too. */
  readonly isReferenced: boolean;
  readonly isKept: boolean;
  readonly isDeleting: boolean;
  readonly fingerprint: string;
}

export interface InstalledChange {
  readonly before: InstalledObject | undefined;
  readonly after: InstalledObject | undefined;
}

export interface KindWatchOptions {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onChange: (change: InstalledChange) => void;
}

/** What is remembered of one installed object. */
export function installedObject(object: KubeObject): InstalledObject {
  const { uid = '', resourceVersion = '', deletionTimestamp } = object.metadata;
  const owner = labelledOwner(object.metadata) ?? '';
  return {
    ref: refOf(object),
    uid,
    resourceVersion,
    owner,
    isReferenced: referencedOwners(object.metadata).includes(owner),
    isKept: isKept(object.metadata),
    isDeleting: deletionTimestamp !== undefined,
    fingerprint: fingerprintOf(object),
  };
}

/** One metadata watch a kind, shared by all deployments, over the objects that bear an owner's label. */
export class KindWatches {
  readonly #options: KindWatchOptions;
  readonly #caches = new Map<string, ObjectCache<InstalledObject>>();

  constructor(options: KindWatchOptions) {
    this.#options = options;
  }

  /** Follows `kinds` from now on and waits until their objects are known. Kinds that the server does not serve are left out. */
  async ensure(kinds: readonly KindRef[]): Promise<void> {
    await Promise.all(
      kinds.map(async (kind) => {
        try {
          await this.#cacheOf(kind).whenSynced;
        } catch (thrown) {
          if (!(thrown instanceof NoKindMatch)) throw thrown;
        }
      }),
    );
  }

  get(ref: ObjectRef): InstalledObject | undefined {
    return this.#caches.get(cacheKey(ref))?.get(ref.name, ref.namespace);
  }

  /** Everything known that bears the label of the deployment `owner`. */
  ownedBy(owner: string): readonly InstalledObject[] {
    return [...this.#caches.values()].flatMap((cache) => cache.indexed(owner));
  }

  #cacheOf(kind: KindRef): ObjectCache<InstalledObject> {
    const key = cacheKey(kind);
    const before = this.#caches.get(key);
    if (before?.isAlive() === true) return before;
    const { kube, clock, log, signal, onChange } = this.#options;
    const labelSelector = `${ownerKindLabel}=${bundleDeploymentResource.kind}`;
    const cache = createCache<InstalledObject>({
      kube,
      target: { ...kind, labelSelector, isMetadataOnly: true },
      project: installedObject,
      index: (object) => [labelledOwner(object.metadata) ?? ''],
      clock,
      log,
      signal,
    });
    cache.subscribe(onChange);
    this.#caches.set(key, cache);
    return cache;
  }
}

function cacheKey(kind: KindRef): string {
  return `${kind.kind}.${groupOf(kind.apiVersion)}`;
}

/** The same text for references to one object. */
export function keyOf(object: KubeObject): string {
  return refKey(refOf(object));
}
