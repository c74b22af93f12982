import { bundleDeploymentResource, ownerKindLabel } from '../api/index.ts';
import { type Clock, errorMessage, type Logger, TransientError } from '../base/index.ts';
import {
  createCache,
  groupOf,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  type ObjectCache,
  type ObjectRef,
  refKey,
  refOf,
} from '../kube/index.ts';
import type { GroupKind } from './inventory.ts';
import type { KindRef } from './kind-list.ts';
import { fingerprintOf, isInstalledFor, isRetained, labelledOwner } from './ownership.ts';

/** What is cached of an installed object. */
export interface InstalledObject {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly owner: string;
  /** Whether more than the label speaks for that owner. */
  readonly isInstalled: boolean;
  readonly isRetained: boolean;
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
  /** All objects of the kind were read again: single changes may have been missed. */
  readonly onListed: (kind: KindRef) => void;
  /** What is remembered elsewhere of the object, in whichever version. Default: nothing. */
  readonly remembered?: (object: KubeObject) => InstalledObject | undefined;
}

/** For the first list of a kind. */
const listedDeadlineMs = 30_000;

function isSameVersion(known: InstalledObject, { apiVersion, metadata }: KubeObject): boolean {
  const { uid, resourceVersion } = metadata;
  return known.uid === uid && known.resourceVersion === resourceVersion && known.ref.apiVersion === apiVersion;
}

/** What is remembered of one installed object: `known` itself, where that is of the same version. There are many, each in the answer to its write
 *  and in a watch. */
export function installedObject(object: KubeObject, known?: InstalledObject): InstalledObject {
  if (known !== undefined && isSameVersion(known, object)) return known;
  const { uid = '', resourceVersion = '', deletionTimestamp } = object.metadata;
  const owner = labelledOwner(object.metadata) ?? '';
  return {
    ref: refOf(object),
    uid,
    resourceVersion,
    owner,
    isInstalled: isInstalledFor(object.metadata, owner),
    isRetained: isRetained(object.metadata),
    isDeleting: deletionTimestamp !== undefined,
    fingerprint: fingerprintOf(object),
  };
}

/** One metadata watch a kind, shared by all deployments, over the objects with an owner label. */
export class KindWatches {
  readonly #options: KindWatchOptions;
  readonly #caches = new Map<string, ObjectCache<InstalledObject>>();

  constructor(options: KindWatchOptions) {
    this.#options = options;
  }

  /** Follows `kinds` from now on and waits until their objects are known. Kinds that the server does not serve are left out.
   *  @throws TransientError KindNotListed when the objects of one cannot be listed for too long; it is followed all the same */
  async ensure(kinds: readonly KindRef[]): Promise<void> {
    await Promise.all(kinds.map((kind) => this.#whenKnown(kind.kind, this.#cacheOf(kind))));
  }

  /** As `ensure`, for kinds in whichever version they are served. */
  async ensureServed(kinds: readonly GroupKind[], signal: AbortSignal): Promise<void> {
    for (const { group, kind } of kinds) {
      if (this.#caches.get(`${kind}.${group}`)?.isAlive() === true) continue;
      try {
        const { apiVersion } = await this.#options.kube.resolveInGroup(group, kind, { signal });
        this.#cacheOf({ apiVersion, kind });
      } catch (thrown) {
        if (!(thrown instanceof NoKindMatch)) throw thrown;
      }
    }
    await Promise.all(
      kinds.map(async ({ group, kind }) => {
        const cache = this.#caches.get(`${kind}.${group}`);
        if (cache !== undefined) await this.#whenKnown(`${kind}.${group}`, cache);
      }),
    );
  }

  get(ref: ObjectRef): InstalledObject | undefined {
    return this.#caches.get(cacheKey(ref))?.get(ref.name, ref.namespace);
  }

  /** Whether the object was deleted, by what the watch has shown since that version. */
  isDeleted({ ref, resourceVersion }: Pick<InstalledObject, 'ref' | 'resourceVersion'>): boolean {
    const cache = this.#caches.get(cacheKey(ref));
    return cache?.hasReached(resourceVersion) === true && cache.get(ref.name, ref.namespace) === undefined;
  }

  /** All known objects with the label of the deployment `owner`. */
  ownedBy(owner: string): readonly InstalledObject[] {
    return [...this.#caches.values()].flatMap((cache) => cache.indexed(owner));
  }

  async #whenKnown(what: string, cache: ObjectCache<InstalledObject>): Promise<void> {
    const waiting = new AbortController();
    const deadline = this.#options.clock.sleep(listedDeadlineMs, { signal: waiting.signal }).then(() => {
      throw notListed(what, cache.lastFailure());
    });
    try {
      await Promise.race([cache.whenAnswered(), deadline]);
    } catch (thrown) {
      // A kind that was removed between its discovery and its list answers 404.
      if (!(thrown instanceof NoKindMatch) && !isNotFound(thrown)) throw thrown;
    } finally {
      waiting.abort();
    }
  }

  #cacheOf(kind: KindRef): ObjectCache<InstalledObject> {
    const key = cacheKey(kind);
    const before = this.#caches.get(key);
    if (before?.isAlive() === true) return before;
    const { kube, clock, log, signal, onChange, onListed, remembered } = this.#options;
    const labelSelector = `${ownerKindLabel}=${bundleDeploymentResource.kind}`;
    const cache = createCache<InstalledObject>({
      kube,
      target: { ...kind, labelSelector, isMetadataOnly: true },
      project: (object) => installedObject(object, remembered?.(object)),
      index: (object) => [labelledOwner(object.metadata) ?? ''],
      onListed: () => onListed(kind),
      clock,
      log,
      signal,
    });
    cache.subscribe(onChange);
    this.#caches.set(key, cache);
    return cache;
  }
}

function notListed(what: string, failure: unknown): TransientError {
  const why = failure === undefined ? 'the API server does not answer' : errorMessage(failure);
  const seconds = listedDeadlineMs / 1000;
  const advice = 'make sure that it can be listed: for example, that its conversion webhook is running';
  return new TransientError(
    'KindNotListed',
    `${what} objects could not be listed for ${seconds} s, so the installed ones are unknown: ${why}; ${advice}`,
    { cause: failure },
  );
}

function cacheKey(kind: KindRef): string {
  return `${kind.kind}.${groupOf(kind.apiVersion)}`;
}

/** The same text for references to one object. */
export function keyOf(object: KubeObject): string {
  return refKey(refOf(object));
}
