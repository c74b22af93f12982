import { type Clock, isJsonEqual, type JsonValue, type Logger } from '../../base/index.ts';
import { createCache, type KubeClient, type KubeObject, type ObjectCache, refKey, refOf } from '../../kube/index.ts';
import type { ReleaseManifest } from '../../release/index.ts';
import { desiredHead, desiredObject } from './desired-object.ts';

/** Of an object of the release. */
interface Observed {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Objects without a generation are compared as a whole. */
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly isDeleted: boolean;
}

export interface ObservedObjectsOptions {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** An object differs from what was applied. */
  readonly onDrift: () => void;
  /** The status of an object changed. */
  readonly onProgress: () => void;
  readonly signal: AbortSignal;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function observe(key: string, { metadata }: KubeObject): Observed {
  const { uid = '', generation = 0, resourceVersion = '', labels = {}, ownerReferences = [] } = metadata;
  const { [lastApplied]: _unused, ...annotations } = metadata.annotations ?? {};
  const owners = ownerReferences.map(({ uid: owner, controller = false }) => `${owner} ${controller}`).toSorted();
  return {
    key,
    uid,
    resourceVersion,
    state: JSON.stringify([generation === 0 ? resourceVersion : generation, owners]),
    labels,
    annotations,
    finalizers: metadata.finalizers ?? [],
    isDeleted: metadata.deletionTimestamp !== undefined,
  };
}

/** Whether an object is as it was, apart from its status and from labels, annotations and finalizers that the release does not set. */
function isSame(before: Observed, after: Observed, { metadata }: KubeObject): boolean {
  const { labels = {}, annotations = {}, finalizers = [] } = metadata;
  return (
    before.uid === after.uid &&
    before.state === after.state &&
    before.isDeleted === after.isDeleted &&
    Object.keys(labels).every((name) => before.labels[name] === after.labels[name]) &&
    Object.keys(annotations).every((name) => before.annotations[name] === after.annotations[name]) &&
    finalizers.every((one) => before.finalizers.includes(one) === after.finalizers.includes(one))
  );
}

function kindOf({ apiVersion, kind }: KubeObject): string {
  return `${kind} ${apiVersion}`;
}

const noOwner = { apiVersion: '', kind: '', name: '', uid: '' };

/** What is applied. */
interface AppliedRelease {
  /** Stands for all that a manifest does not state: another owner or proxy changes every object. */
  readonly terms: string;
  /** Stands for the manifests. */
  readonly hash: string;
  readonly manifests: readonly ReleaseManifest[];
}

/** An object of the release. */
interface Desired {
  readonly manifest: ReleaseManifest;
  readonly head: KubeObject;
}

/** The manifest of an operator differs in each release, by the version in its status. */
function isSameObject(before: ReleaseManifest, after: ReleaseManifest): boolean {
  if (before.canonicalText === after.canonicalText) return true;
  const [a, b] = [before, after].map((manifest) => desiredObject(manifest, noOwner) as JsonValue);
  return isJsonEqual(a ?? null, b ?? null);
}

/** The objects of the release that is applied, watched by the metadata of their kinds: what another writer changes is seen at once, and what no one has
 *  changed need not be written again. Objects that the next release has in the same form remain known. */
export class ObservedObjects {
  readonly #options: ObservedObjectsOptions;
  #desired: ReadonlyMap<string, Desired> = new Map();
  readonly #applied = new Map<string, Observed>();
  /** Of those, what the update need not wait for. */
  readonly #settled = new Set<string>();
  readonly #caches = new Map<string, ObjectCache<Observed | undefined>>();
  #terms = '';
  #hash = '';

  constructor(options: ObservedObjectsOptions) {
    this.#options = options;
  }

  /** The objects of this release are applied from now on. */
  begin({ terms, hash, manifests }: AppliedRelease): void {
    if (this.#terms === terms && this.#hash === hash) return;
    const isOther = this.#terms !== terms;
    const before = isOther ? new Map<string, Desired>() : this.#desired;
    this.#terms = terms;
    this.#hash = hash;
    const all = manifests.map((manifest) => ({ manifest, head: desiredHead(manifest, noOwner) }));
    this.#desired = new Map(all.map((desired) => [refKey(refOf(desired.head)), desired]));
    for (const [key, { manifest, head }] of this.#desired) {
      const known = before.get(key);
      if (known === undefined) this.#stopWatching(head);
      if (known === undefined || !isSameObject(known.manifest, manifest)) this.#forget(key);
    }
    for (const key of this.#applied.keys()) if (!this.#desired.has(key)) this.#forget(key);
  }

  #forget(key: string): void {
    this.#applied.delete(key);
    this.#settled.delete(key);
  }

  /** Objects that were none of the release are not known: their kind is listed again. */
  #stopWatching(object: KubeObject): void {
    const kind = kindOf(object);
    this.#caches.get(kind)?.stop();
    this.#caches.delete(kind);
  }

  #live(object: KubeObject): Observed | undefined {
    const cache = this.#caches.get(kindOf(object));
    if (cache?.isAlive() !== true) return undefined;
    return cache.get(object.metadata.name ?? '', object.metadata.namespace);
  }

  /** Whether an object of that name is known to exist. */
  exists(object: KubeObject): boolean {
    return this.#live(object) !== undefined;
  }

  /** Whether no one has changed the object since it was applied; its status may have changed. */
  isAsApplied(object: KubeObject): boolean {
    const applied = this.#applied.get(refKey(refOf(object)));
    const live = this.#live(object);
    return applied !== undefined && live !== undefined && isSame(applied, live, object);
  }

  /** Whether the object is exactly as it was when it was checked last, its status included. */
  isUnchanged(object: KubeObject): boolean {
    const key = refKey(refOf(object));
    const isRead = this.#live(object)?.resourceVersion === this.#applied.get(key)?.resourceVersion;
    return isRead && this.#settled.has(key) && this.isAsApplied(object);
  }

  /** An object was applied; `written` is what became of it. */
  wrote(object: KubeObject, written: KubeObject): void {
    const key = refKey(refOf(object));
    this.#settled.delete(key);
    this.#applied.set(key, observe(key, written));
    this.follow(object);
  }

  /** An object was read.
   *  @returns whether it is as it was applied */
  read(object: KubeObject, live: KubeObject): boolean {
    const key = refKey(refOf(object));
    const observed = observe(key, live);
    const applied = this.#applied.get(key);
    if (applied === undefined || !isSame(applied, observed, object)) return false;
    this.#settled.delete(key);
    this.#applied.set(key, observed);
    return true;
  }

  /** The update may go on with the object as it was written or read. */
  settled(object: KubeObject): void {
    this.#settled.add(refKey(refOf(object)));
  }

  /** Watches the objects of this kind. */
  follow(object: KubeObject): void {
    const { kube, clock, log, signal } = this.#options;
    const { apiVersion, kind } = object;
    const name = kindOf(object);
    if (this.#caches.get(name)?.isAlive() === true) return;
    const cache = createCache<Observed | undefined>({
      kube,
      clock,
      log,
      signal,
      target: { apiVersion, kind, isMetadataOnly: true },
      project: (live) => {
        const key = refKey({ ...refOf(live), apiVersion, kind });
        return this.#desired.has(key) ? observe(key, live) : undefined;
      },
    });
    cache.whenSynced.catch(() => undefined);
    cache.subscribe(({ before, after }) => this.#compare(before, after));
    this.#caches.set(name, cache);
  }

  #compare(before: Observed | undefined, after: Observed | undefined): void {
    const key = (after ?? before)?.key ?? '';
    const [applied, desired] = [this.#applied.get(key), this.#desired.get(key)];
    if (applied === undefined || desired === undefined) return;
    if (after !== undefined && isSame(applied, after, desired.head)) this.#options.onProgress();
    else this.#options.onDrift();
  }
}
