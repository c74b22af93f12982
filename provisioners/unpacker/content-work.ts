import { createReadStream } from 'node:fs';
import { helmProvisionerClass, registryProvisionerClass } from '../../src/api/index.ts';
import {
  errorMessage,
  type JobHandlers,
  type JsonObject,
  systemClock,
  TerminalError,
  TransientError,
  withDeadline,
} from '../../src/base/index.ts';
import { createChartRenderer } from '../../src/chart-renderer/index.ts';
import {
  type ContentRecord,
  ContentStore,
  explainFullDisk,
  extractArchive,
  type KeyedLocks,
  packObjects,
  type Staging,
  type StagingRoom,
  uploadPath,
  uploadsFolder,
} from '../../src/content/index.ts';
import { type BundleContent, type ChartRenderer, formatOf } from '../../src/formats/index.ts';
import {
  type ContentSource,
  createHttpClient,
  type FetchOptions,
  fetchSource,
  imagePullBackOff,
  LayerCache,
  parsePlatform,
  RateLimits,
} from '../../src/sources/index.ts';
import type { BundleIdentity } from './bundle-identity.ts';
import { BundleReader } from './large-bundles.ts';
import type { LoadedPieces, UnpackerJobs, WorkEvent } from './messages.ts';
import { cutObjects } from './object-pieces.ts';
import { releaseHandlers } from './packed-release.ts';
import { checkMetadata } from './read-bundle.ts';
import type { UnpackerSettings } from './settings.ts';
import { SharedStore } from './shared-store.ts';
import { renditionsFolder, temporaryFolder } from './store-folders.ts';
import { TemporaryRoom } from './temporary-room.ts';
import type { LoadRequest, UnpackedContent, UnpackRequest } from './unpacker.ts';

const fetchPrefix = 'source bundle content: ';
const storePrefix = 'persist bundle content: ';
const loadPrefix = 'read bundle objects from bundle: ';

type Fetch = (request: UnpackRequest, staging: Staging, options: FetchOptions) => Promise<ContentSource>;

/** Adds what the stage is to an error's message. */
async function inStage<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const message = `${prefix}${errorMessage(thrown)}`;
    if (thrown instanceof TerminalError) throw new TerminalError(thrown.reason, message, { cause: thrown });
    if (!(thrown instanceof TransientError) || thrown.reason === imagePullBackOff) throw thrown;
    const { retryAfterMs } = thrown;
    throw new TransientError(thrown.reason, message, {
      cause: thrown,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
}

type WorkListener = (event: WorkEvent) => void;

interface RoomOptions extends FetchOptions {
  readonly room: StagingRoom;
}

/** What all threads share. */
interface ThreadParts {
  readonly locks: KeyedLocks;
  readonly onWork: WorkListener;
}

function openSharedStore(settings: UnpackerSettings, store: ContentStore): SharedStore | undefined {
  const { shared, storeDir, insecureRegistries, answerDeadlineMs, limits, registryCaPem: caPem, proxies } = settings;
  if (shared === undefined) return undefined;
  return new SharedStore({
    settings: shared,
    storeDir,
    store,
    // What does not compress is stored a little larger than it is.
    maxFileBytes: Math.ceil(Math.max(limits.compressedLayerBytes, limits.unpackedBytes) * 1.1),
    http: createHttpClient({ caPem, proxies, answerDeadlineMs }),
    clock: systemClock,
    limits: new RateLimits(systemClock),
    insecureRegistries,
  });
}

/** Fetches for the process, with its clients. */
function createFetch(settings: UnpackerSettings, { locks, onWork }: ThreadParts): Fetch {
  const { answerDeadlineMs, insecureRegistries, layerCacheBytes, storeDir } = settings;
  const { allowsUnnamedHosts, proxies } = settings;
  const http = createHttpClient({ caPem: settings.registryCaPem, proxies, answerDeadlineMs });
  const temporaryDir = temporaryFolder(storeDir);
  const clock = systemClock;
  const onUse = (isHit: boolean): void => onWork({ what: isHit ? 'layer hit' : 'layer miss' });
  const cache = new LayerCache({ dir: `${storeDir}/layers`, maxBytes: layerCacheBytes, locks, onUse });
  const platform = parsePlatform(settings.platform);
  const image = { http, clock, cache, limits: new RateLimits(clock), insecureRegistries, platform };
  const download = { answerDeadlineMs, clock, temporaryDir, allowsUnnamedHosts, proxies };
  const git = { ...download, caPem: settings.gitCaPem, programPath: settings.programPath, locks };
  const web = { ...download, caPem: settings.httpCaPem };
  return (request, staging, options) => {
    const { imagePolicy: policy, expectedDigest, provisionerClassName, bundle } = request;
    const isKnown = expectedDigest !== undefined;
    const isOperator = provisionerClassName === registryProvisionerClass;
    const isChart = provisionerClassName === helmProvisionerClass;
    const path = uploadPath(uploadsFolder(storeDir), bundle);
    const fetchRequest = { ...request, staging, policy, isKnown, isOperator, isChart, uploadPath: path };
    return fetchSource({ image, git, http: web }, fetchRequest, options);
  };
}

function openRenderer({ helm, storeDir, storeKey: key }: UnpackerSettings, onWork: WorkListener): ChartRenderer {
  return createChartRenderer({
    ...helm,
    temporaryDir: temporaryFolder(storeDir),
    cache: { dir: renditionsFolder(storeDir), key },
    onRender: () => onWork({ what: 'rendered' }),
  });
}

/** What `UnpackedContent` a record stands for. */
export function contentOf(record: ContentRecord): UnpackedContent {
  const facts = record.facts as unknown as Pick<UnpackedContent, 'resolvedSource' | 'objectCount'> &
    Partial<Pick<UnpackedContent, 'properties' | 'warnings' | 'version'>>;
  const { resolvedSource, objectCount, version, properties = [], warnings = [] } = facts;
  const { digest, sizeBytes, isEvicted = false, storedAt } = record;
  const isOutdated = facts.properties === undefined;
  return {
    resolvedSource,
    objectCount,
    version,
    properties,
    warnings,
    digest,
    sizeBytes,
    isEvicted,
    isOutdated,
    storedAt,
  };
}

/** How much is read to load the content of a record. Charts are rendered outside of this process. */
export function loadedBytes({ provisionerClassName }: LoadRequest, record: ContentRecord | undefined): number {
  return formatOf(provisionerClassName).hasReleases === true ? 0 : (record?.sizeBytes ?? 0);
}

/** Does jobs on one store; used inside a worker thread, and knows nothing of threads. */
export class ContentWork {
  readonly #settings: UnpackerSettings;
  readonly #store: ContentStore;
  readonly #fetch: Fetch;
  readonly #shared: SharedStore | undefined;
  readonly #onWork: WorkListener;
  readonly #charts: ChartRenderer;
  readonly #reader: BundleReader;
  readonly #room: TemporaryRoom;

  private constructor(
    settings: UnpackerSettings,
    store: ContentStore,
    { fetch, reader, onWork }: { readonly fetch: Fetch; readonly reader: BundleReader; readonly onWork: WorkListener },
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#fetch = fetch;
    this.#reader = reader;
    this.#room = new TemporaryRoom(settings);
    this.#onWork = onWork;
    this.#charts = openRenderer(settings, onWork);
    this.#shared = openSharedStore(settings, store);
  }

  static async open(settings: UnpackerSettings, threads: ThreadParts): Promise<ContentWork> {
    const { locks, onWork } = threads;
    const onEvicted = ({ sizeBytes }: { readonly sizeBytes: number }): void => onWork({ what: 'evicted', sizeBytes });
    const budget = { maxBytes: settings.storeBytes, restMs: settings.storeRestMs, onEvicted };
    const store = await ContentStore.open({
      dir: settings.storeDir,
      limits: settings.limits,
      locks,
      budget,
      key: settings.storeKey,
    });
    const reader = new BundleReader(threads.locks, settings.threadHeapMebibytes);
    return new ContentWork(settings, store, { fetch: createFetch(settings, threads), reader, onWork: threads.onWork });
  }

  /** A function for each kind of job. */
  handlers(): JobHandlers<UnpackerJobs> {
    return {
      unpack: (request, options) =>
        this.#onDisk(() =>
          this.#room.use(options, (room, signal) => this.#unpack(request, { ...options, room, signal })),
        ),
      load: (request, options) => this.#onDisk(() => this.#load(request, options)),
      check: (upload, options) =>
        this.#onDisk(() => this.#room.use(options, (room, signal) => this.#check(upload, { room, signal }))),
      discard: async ({ bundleName }, options) => {
        await this.#onDisk(() => this.#store.remove(bundleName, options));
        return undefined;
      },
      ...this.#sharedHandlers(),
      ...releaseHandlers,
    };
  }

  /** @throws TransientError StoreFull if the disk is full */
  async #onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (thrown) {
      throw explainFullDisk(thrown, this.#settings.storeDir);
    }
  }

  #sharedHandlers(): Pick<JobHandlers<UnpackerJobs>, 'restore' | 'share' | 'shareUpload' | 'unshare' | 'listShared'> {
    return {
      restore: (job, options) =>
        this.#withShared('restore', options, async (shared, signal) => {
          const record = await inStage(fetchPrefix, () => shared.restore(job.bundle, job, { signal }));
          return record === undefined ? undefined : contentOf(record);
        }),
      share: (job, options) =>
        this.#withShared('share', options, (shared, signal) =>
          inStage(storePrefix, () => this.#share(shared, job, signal)),
        ),
      shareUpload: ({ bundle, path }, options) =>
        this.#withShared('share upload', options, (shared, signal) => shared.saveUpload(bundle, path, { signal })),
      unshare: (job, options) =>
        this.#withShared('unshare', options, (shared, signal) => shared.remove(job, { signal })),
      listShared: (_, options) => this.#withShared('list shared', options, (shared, signal) => shared.uids({ signal })),
    };
  }

  async #withShared<Result>(
    what: string,
    { signal }: FetchOptions,
    work: (shared: SharedStore, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const shared = this.#shared;
    if (shared === undefined) throw new TransientError('ContentStoreUnavailable', 'there is no shared content store');
    const deadline = { deadlineMs: this.#settings.unpackDeadlineMs, signal };
    const limited = (): Promise<Result> =>
      withDeadline(`the content store, ${what}`, deadline, (until) => work(shared, until));
    return await this.#onDisk(limited);
  }

  async #share(
    shared: SharedStore,
    { bundle, replaced }: UnpackerJobs['share']['input'],
    signal: AbortSignal,
  ): Promise<UnpackedContent | undefined> {
    const record = await this.#store.find(bundle);
    if (record === undefined || record.isEvicted === true) return undefined;
    const storedAt = await shared.save(record, { signal });
    await this.#store.noteStoredAt(record, storedAt);
    // What cannot be deleted is found when everything is looked through.
    if (shared.has(replaced) && replaced !== storedAt)
      await shared.removeAt(bundle, replaced, { signal }).catch(() => undefined);
    return contentOf({ ...record, storedAt });
  }

  async #unpack(request: UnpackRequest, { room, ...options }: RoomOptions): Promise<UnpackedContent> {
    const { name, uid } = request.bundle;
    const deadline = { deadlineMs: this.#settings.unpackDeadlineMs, signal: options.signal };
    return await withDeadline(`unpack bundle ${name}`, deadline, async (signal) => {
      await using staging = await this.#store.stage(room);
      const resolvedSource = await inStage(
        fetchPrefix,
        async () => await this.#fetch(request, staging, { ...options, signal }),
      );
      options.onProgress?.('checking content');
      const read = await this.#reader.read(staging, request.provisionerClassName, { signal });
      this.#onWork({ what: 'parsed' });
      options.onProgress?.('storing content');
      const facts = {
        resolvedSource: structuredClone(resolvedSource) as never,
        objectCount: read.objectCount,
        ...(read.version === undefined ? {} : { version: read.version }),
        properties: read.properties as unknown as JsonObject[],
        warnings: [...read.warnings],
      };
      const { expectedDigest } = request;
      return contentOf(
        await inStage(
          storePrefix,
          async () =>
            await this.#store.commit(staging, { name, uid, facts, expectedDigest, parsed: read.packed, signal }),
        ),
      );
    });
  }

  /** @throws TerminalError of `extractArchive` */
  async #check(
    { path, provisionerClassName }: { readonly path: string; readonly provisionerClassName: string },
    { room, signal }: RoomOptions,
  ): Promise<undefined> {
    await using staging = await this.#store.stage(room);
    const archive = createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>;
    await extractArchive(archive, staging, { what: 'the upload', hasWhiteouts: false, signal });
    staging.assertLinksInside('the upload');
    await checkMetadata(provisionerClassName, staging);
    return undefined;
  }

  async #load(job: LoadRequest, { signal }: FetchOptions): Promise<LoadedPieces> {
    const { bundle, terms } = job;
    const record = await this.#store.find(bundle);
    const sizeBytes = loadedBytes(job, record);
    await using _ = await this.#reader.turnOf(sizeBytes, { signal });
    const { content, digest } = await inStage(loadPrefix, async () => {
      const digest = job.expectedDigest ?? record?.digest ?? '';
      return { content: await this.#read(job, digest, signal), digest };
    });
    const { objects, ...rendered } = await content.render(terms, { charts: this.#charts, signal });
    return { ...rendered, pieces: cutObjects(objects), digest };
  }

  /** The content of a Bundle, parsed only if what it was parsed into is not stored. */
  async #read(
    { bundle, provisionerClassName }: LoadRequest,
    digest: string,
    signal: AbortSignal,
  ): Promise<BundleContent> {
    const format = formatOf(provisionerClassName);
    const parsed = await this.#store.readParsed(bundle, { format: format.name, expectedDigest: digest, signal });
    if (parsed !== undefined) return format.restore(parsed);
    const { directories: names, maxFileBytes } = format;
    const reader = format.begin('');
    const directories = { names, maxFileBytes, expectedDigest: digest, signal };
    const { present, archiveDigest } = await this.#store.readDirectories(bundle, directories, (name, entry) =>
      reader.add(name, entry),
    );
    const content = reader.finish(present);
    this.#onWork({ what: 'parsed' });
    const packed = await packObjects(format.name, content.parsed);
    if (packed !== undefined) await this.#saveParsed(bundle, { digest, archiveDigest, packed }, signal);
    return content;
  }

  /** Whatever prevents that, the content was read. */
  async #saveParsed(
    bundle: BundleIdentity,
    parsed: Parameters<ContentStore['saveParsed']>[1],
    signal: AbortSignal,
  ): Promise<void> {
    await this.#store.saveParsed(bundle, parsed, { signal }).catch(() => signal.throwIfAborted());
  }
}
