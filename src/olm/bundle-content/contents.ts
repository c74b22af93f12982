import { parseImageReference } from '../../api/index.ts';
import {
  type Clock,
  type JsonObject,
  sha256Digest,
  TerminalError,
  TransientError,
  WaitingError,
} from '../../base/index.ts';
import { BackgroundWork, type Manager, type WorkFailure } from '../../controller/index.ts';
import { readManifests } from '../../formats/index.ts';
import type { BundleContent, BundleContents, BundleReference } from '../../operators/index.ts';
import { pullFailureText } from '../catalog-content/pull-failure.ts';
import type { CatalogSourceViews } from '../catalog-source/views.ts';
import type { RegistryTerms, UnpackSettings } from '../images/image-job.ts';
import type { BundleJob } from './bundle-job.ts';
import { BundleStore } from './bundle-store.ts';
import { BundleThreads } from './bundle-thread.ts';

/** What a catalog has of a bundle is stored from this size on: plans refer to it. */
const storedBytes = 64 * 2 ** 10;
/** By namespace of the catalog: its author chooses the registries, and slow ones hold up no others. */
const limits = { perGroup: 2, prompt: 2, running: 4, promptMs: 10_000 };
const retry = { firstMs: 1_000, longestMs: 5 * 60_000 };
const defaultTimeoutMs = 10 * 60_000;
const pollMs = 5_000;
/** Of tags whose image was unpacked, and of bundles that wait or have failed. */
const defaultRemembered = 10_000;

export interface BundleContentsOptions {
  readonly views: CatalogSourceViews;
  /** No other process uses it. */
  readonly storeDir: string;
  readonly storeBytes: number;
  readonly settings: UnpackSettings;
  /** What registries are asked with for a catalog: nothing but its own pull secrets. */
  readonly readTerms: (catalog: BundleReference['catalog'], signal: AbortSignal) => Promise<RegistryTerms>;
  /** The uid of a Namespace; empty for one that is not known. */
  readonly namespaceUid: (name: string) => string;
  /** How many bundles that cannot be unpacked are known. Default: 10,000. */
  readonly maxRemembered?: number;
  /** Default: in a worker thread. */
  readonly unpack?: (job: BundleJob, signal: AbortSignal) => Promise<{ readonly image: string }>;
}

/** Values by key; forgets the oldest when there are too many. */
class Remembered<T> extends Map<string, T> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  /** The key that was forgotten for this one. */
  remember(key: string, value: T): string | undefined {
    this.delete(key);
    this.set(key, value);
    const oldest = this.keys().next();
    if (this.size <= this.#max || oldest.done === true) return undefined;
    this.delete(oldest.value);
    return oldest.value;
  }
}

/** A bundle's image in the eyes of one catalog. */
interface ImageBundle extends BundleReference {
  readonly image: string;
}

/** The contents of bundles: manifests of catalogs, and images that are fetched in the background. */
class Contents implements BundleContents {
  readonly #options: BundleContentsOptions;
  readonly #store: BundleStore;
  readonly #clock: Clock;
  readonly #work: BackgroundWork;
  readonly #threads: BundleThreads;
  /** Images by digest of what was asked for by a tag. */
  readonly #pinned: Remembered<string>;
  /** When a bundle was asked for first, in vain. */
  readonly #waitingSince: Remembered<number>;
  /** When its image was last tried in vain. */
  readonly #failedAt: Remembered<number>;

  constructor(manager: Manager, options: BundleContentsOptions, store: BundleStore) {
    const { clock, log, signal } = manager;
    const { maxRemembered = defaultRemembered } = options;
    this.#pinned = new Remembered(maxRemembered);
    this.#waitingSince = new Remembered(maxRemembered);
    this.#failedAt = new Remembered(maxRemembered);
    this.#options = options;
    this.#store = store;
    this.#clock = clock;
    this.#threads = new BundleThreads();
    this.#work = new BackgroundWork({
      clock,
      log,
      signal,
      limits,
      retry,
      isFinal: () => false,
      onChange: () => undefined,
      onFailure: (name, { reason, message }) => log.warn({ object: name, reason, message }, 'bundle not unpacked'),
    });
    signal.addEventListener('abort', () => void this.#end(), { once: true });
  }

  async #end(): Promise<void> {
    await this.#work.whenIdle();
    this.#threads[Symbol.dispose]();
    this.#store[Symbol.dispose]();
  }

  async read(bundle: BundleReference, signal: AbortSignal): Promise<BundleContent> {
    const { image } = bundle;
    return image === undefined
      ? await this.#readManifests(bundle)
      : await this.#readImage({ ...bundle, image }, signal);
  }

  async #readManifests(bundle: BundleReference): Promise<BundleContent> {
    const { name, catalog, digest: expected } = bundle;
    const stored = expected === undefined ? undefined : await this.#store.find(this.#keyOf(bundle, expected));
    if (stored !== undefined && expected !== undefined) return { ...stored, digest: expected };
    using held = this.#options.views.hold(catalog.namespace);
    const manifests = await held.manifestsOf(catalog, name);
    if (manifests === undefined) {
      const text = `bundle ${name}: catalog ${catalog.namespace}/${catalog.name} has neither an image nor manifests of it`;
      throw new TerminalError('BundleContentMissing', text);
    }
    return await this.#contentOf(bundle, manifests);
  }

  async #contentOf(bundle: BundleReference, manifests: readonly JsonObject[]): Promise<BundleContent> {
    const { name, catalog, digest: expected } = bundle;
    const text = JSON.stringify(manifests);
    const digest = sha256Digest(text);
    if (expected !== undefined && digest !== expected) {
      const problem = `bundle ${name}: the manifests in catalog ${catalog.namespace}/${catalog.name} have changed: expected ${expected}, found ${digest}: delete the InstallPlan, so that another is made`;
      throw new TerminalError('BundleContentChanged', problem);
    }
    const content = readManifests(name, manifests);
    if (text.length >= storedBytes) await this.#store.save(this.#keyOf(bundle, digest), content);
    return { ...content, digest };
  }

  async #readImage(bundle: ImageBundle, signal: AbortSignal): Promise<BundleContent> {
    const work = this.#workName(bundle);
    const image = this.#pinned.get(work) ?? bundle.image;
    const { digest } = parseImageReference(image);
    const stored = digest === undefined ? undefined : await this.#store.find(this.#keyOf(bundle, digest));
    signal.throwIfAborted();
    if (stored === undefined || digest === undefined) throw this.#unpacking(bundle);
    this.#waitingSince.delete(work);
    if (stored.name === bundle.name) return { ...stored, digest, image };
    const text = `bundle ${bundle.name}: image ${image} has ClusterServiceVersion "${stored.name}"`;
    throw new TerminalError('InvalidBundle', text);
  }

  /** Starts the work that is due; the error reports how far it is. */
  #unpacking(bundle: ImageBundle): Error {
    const name = this.#workName(bundle);
    const id = { name, input: bundle.image };
    const known = this.#work.failureOf(id);
    if (this.#mayTry(bundle) && this.#work.stateOf(id).kind === 'due')
      this.#work.start(id, (signal) => this.#unpack(bundle, signal), { group: bundle.catalog.namespace });
    const sinceMs = this.#waitingSince.get(name) ?? this.#clock.now();
    this.#waitingSince.remember(name, sinceMs);
    const { timeoutMs = defaultTimeoutMs } = bundle;
    const isLate = timeoutMs > 0 && this.#clock.now() - sinceMs >= timeoutMs;
    return unpackError(bundle, known, isLate);
  }

  /** Whether it is long enough ago that the last try failed. */
  #mayTry(bundle: ImageBundle): boolean {
    const { minRetryMs = 0 } = bundle;
    const failedMs = this.#failedAt.get(this.#workName(bundle));
    const sinceMs = this.#clock.now() - (failedMs ?? Number.NEGATIVE_INFINITY);
    // Less than nothing where the clock was set back.
    return sinceMs >= minRetryMs || sinceMs < 0;
  }

  /** Content that the credentials of one namespace have opened is not given to another one, nor to a later one of its name. */
  #keyOf({ catalog: { namespace } }: BundleReference, digest: string): string {
    return [namespace, this.#options.namespaceUid(namespace), digest].join('\n');
  }

  #workName({ catalog: { namespace, name: source }, name, image }: ImageBundle): string {
    return `${namespace}/${source}/${name}/${image} ${this.#options.namespaceUid(namespace)}`;
  }

  /** Why it failed is remembered with it: plans may ask for any number of bundles, and never again. */
  #noteFailed(work: string): void {
    const forgotten = this.#failedAt.remember(work, this.#clock.now());
    if (forgotten !== undefined) void this.#work.cancel(forgotten);
  }

  async #unpack(bundle: ImageBundle, signal: AbortSignal): Promise<void> {
    const { name, image: ref } = bundle;
    const { settings, readTerms } = this.#options;
    const { unpack = async (job, stop) => await this.#threads.unpack(job, stop) } = this.#options;
    const work = this.#workName(bundle);
    const place = this.#store.prepare(work);
    try {
      const terms = await readTerms(bundle.catalog, signal);
      const group = bundle.catalog.namespace;
      const job = { ...terms, ...place, settings, group, name, ref, askedRef: ref, isKnown: false };
      const { image } = await unpack(job, signal);
      const { digest = '' } = parseImageReference(image);
      await this.#store.commit(this.#keyOf(bundle, digest), place);
      this.#pinned.remember(work, image);
      this.#failedAt.delete(work);
    } catch (thrown) {
      this.#noteFailed(work);
      if (thrown instanceof TerminalError) await this.#store.discard(place);
      else await this.#store.leave(place);
      throw thrown;
    }
  }
}

function unpackError({ name, image }: ImageBundle, known: WorkFailure | undefined, isLate: boolean): Error {
  if (known === undefined) {
    if (!isLate) return new WaitingError('BundleUnpacking', 'unpack job not completed', { afterMs: pollMs });
    const text = `bundle ${name}: image ${image} was not unpacked before the timeout`;
    return new TransientError('DeadlineExceeded', text);
  }
  const { error } = known;
  if (error instanceof TerminalError) return error;
  const text = `Bundle image pull failed. ${image}: ${pullFailureText(error)}`;
  if (isLate) return new TransientError('DeadlineExceeded', text, { cause: error });
  return new WaitingError('BundleUnpacking', text, { afterMs: pollMs, cause: error });
}

/** Opens the store of bundles.
 *  @throws TerminalError DataFolderInUse, DataFolderUnusable */
export async function openBundleContents(manager: Manager, options: BundleContentsOptions): Promise<BundleContents> {
  const store = await BundleStore.open(options.storeDir, options.storeBytes);
  return new Contents(manager, options, store);
}
