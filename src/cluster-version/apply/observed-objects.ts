import type { Clock, Logger } from '../../base/index.ts';
import { createCache, type KubeClient, type KubeObject, type ObjectCache, refKey, refOf } from '../../kube/index.ts';
import type { ReleaseManifest } from '../../release/index.ts';
import { desiredObject } from './desired-object.ts';

/** Of an object of the release. */
interface Observed {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Changes with the spec, with owners, and with labels and annotations that the release sets. */
  readonly fingerprint: string;
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

function members(values: Readonly<Record<string, string>> | undefined, keys: readonly string[]): readonly string[] {
  return keys.map((key) => values?.[key] ?? '');
}

/** Objects without a generation are compared as a whole. */
function observe(key: string, { metadata }: KubeObject, desired: KubeObject): Observed {
  const { uid = '', generation = 0, resourceVersion = '', labels, annotations, ownerReferences = [] } = metadata;
  const fingerprint = JSON.stringify([
    generation === 0 ? resourceVersion : generation,
    members(labels, Object.keys(desired.metadata.labels ?? {})),
    members(annotations, Object.keys(desired.metadata.annotations ?? {})),
    ownerReferences.map((owner) => owner.uid).toSorted(),
    metadata.deletionTimestamp === undefined,
  ]);
  return { key, uid, resourceVersion, fingerprint };
}

function kindOf({ apiVersion, kind }: KubeObject): string {
  return `${kind} ${apiVersion}`;
}

const noOwner = { apiVersion: '', kind: '', name: '', uid: '' };

/** The objects of the release that is applied, watched by the metadata of their kinds: what another writer changes is seen at once, and what no one has
 *  changed need not be written again. */
export class ObservedObjects {
  readonly #options: ObservedObjectsOptions;
  readonly #desired = new Map<string, KubeObject>();
  readonly #applied = new Map<string, Observed>();
  /** Of those, what the update need not wait for. */
  readonly #settled = new Set<string>();
  readonly #caches = new Map<string, ObjectCache<Observed | undefined>>();
  #release = '';

  constructor(options: ObservedObjectsOptions) {
    this.#options = options;
  }

  /** The objects of another release are applied from now on. `release` stands for its content. */
  begin(release: string, manifests: readonly ReleaseManifest[]): void {
    if (this.#release === release) return;
    this.#release = release;
    this.#applied.clear();
    this.#settled.clear();
    this.#desired.clear();
    for (const cache of this.#caches.values()) cache.stop();
    this.#caches.clear();
    for (const manifest of manifests) {
      const object = desiredObject(manifest, noOwner);
      this.#desired.set(refKey(refOf(object)), object);
    }
  }

  /** Whether the object is exactly as it was when it was applied last, its status included. */
  isUnchanged(object: KubeObject): boolean {
    const key = refKey(refOf(object));
    const applied = this.#applied.get(key);
    const cache = this.#caches.get(kindOf(object));
    if (applied === undefined || !this.#settled.has(key) || cache?.isAlive() !== true) return false;
    const live = cache.get(object.metadata.name ?? '', object.metadata.namespace);
    return live?.uid === applied.uid && live.resourceVersion === applied.resourceVersion;
  }

  /** An object was applied; `written` is what became of it. */
  wrote(object: KubeObject, written: KubeObject): void {
    const key = refKey(refOf(object));
    this.#settled.delete(key);
    this.#applied.set(key, observe(key, written, object));
    this.#watch(object);
  }

  /** The update may go on with the object as it was written. */
  settled(object: KubeObject): void {
    this.#settled.add(refKey(refOf(object)));
  }

  #watch(object: KubeObject): void {
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
        const desired = this.#desired.get(key);
        return desired && observe(key, live, desired);
      },
    });
    cache.whenSynced.catch(() => undefined);
    cache.subscribe(({ before, after }) => this.#compare(before, after));
    this.#caches.set(name, cache);
  }

  #compare(before: Observed | undefined, after: Observed | undefined): void {
    const applied = this.#applied.get((after ?? before)?.key ?? '');
    if (applied === undefined) return;
    if (after?.uid === applied.uid && after.fingerprint === applied.fingerprint) this.#options.onProgress();
    else this.#options.onDrift();
  }
}
