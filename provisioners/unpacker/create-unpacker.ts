import { mkdir, rm } from 'node:fs/promises';
import { systemClock, TransientError } from '../../src/base/index.ts';
import {
  type ContentRecord,
  ContentStore,
  createLocks,
  lockFolder,
  Uploads,
  uploadsFolder,
} from '../../src/content/index.ts';
import { formatOf } from '../../src/formats/index.ts';
import { definitionOf } from '../../src/sources/definitions/index.ts';
import { contentOf, loadedBytes } from './content-work.ts';
import { largeBytes } from './large-bundles.ts';
import type { WorkEvent } from './messages.ts';
import { joinObjects } from './object-pieces.ts';
import { ThreadPool } from './pool.ts';
import { completeSettings, type UnpackerSettings } from './settings.ts';
import { sharedStoreName } from './shared-store.ts';
import { renditionsFolder, temporaryFolder } from './store-folders.ts';
import type {
  LoadRequest,
  PackedReleases,
  SharedContents,
  Unpacker,
  UnpackerOptions,
  UnpackerUsage,
} from './unpacker.ts';

const requestDeadlineMs = 60_000;
const requestPollMs = 100;

/** Asks for evicted contents, and waits for them. */
class RequestedContents {
  readonly #store: ContentStore;
  readonly #listeners: ((bundleName: string) => void)[] = [];

  constructor(store: ContentStore) {
    this.#store = store;
  }

  listen(listener: (bundleName: string) => void): void {
    this.#listeners.push(listener);
  }

  /** The record of content that is there; undefined when there is none of that name. */
  async obtain(name: string, signal: AbortSignal): Promise<ContentRecord | undefined> {
    const endMs = performance.now() + requestDeadlineMs;
    let record = await this.#store.findByName(name);
    if (record?.isEvicted === true) for (const listener of this.#listeners) listener(name);
    while (record?.isEvicted === true) {
      if (performance.now() > endMs) {
        throw new TransientError('ContentLost', `${name}: the content is being fetched again; ask again later`);
      }
      await systemClock.sleep(requestPollMs, { signal });
      record = await this.#store.findByName(name);
    }
    return record;
  }
}

type CountName =
  | 'evictedCount'
  | 'evictedBytes'
  | 'sweepCount'
  | 'layerHitCount'
  | 'layerMissCount'
  | 'parsedCount'
  | 'renderedCount';
type Counts = { -readonly [Name in CountName]: UnpackerUsage[Name] };

interface Parts {
  readonly store: ContentStore;
  readonly uploads: Uploads;
  readonly pool: ThreadPool;
  /** Loads large contents: no other work waits for it. */
  readonly largePool: ThreadPool;
  /** Loads charts, which may take seconds to be read and rendered, whatever their size: others wait for none of them. */
  readonly chartPool: ThreadPool;
  /** Since the start. */
  readonly counts: Counts;
}

async function openParts(settings: UnpackerSettings): Promise<Parts> {
  const { storeDir, limits } = settings;
  const locks = createLocks();
  const counts = {
    evictedCount: 0,
    evictedBytes: 0,
    sweepCount: 1,
    layerHitCount: 0,
    layerMissCount: 0,
    parsedCount: 0,
    renderedCount: 0,
  };
  const onEvicted = ({ sizeBytes }: { readonly sizeBytes: number }): void => {
    counts.evictedCount += 1;
    counts.evictedBytes += sizeBytes;
  };
  const onWork = (event: WorkEvent): void => {
    if (event.what === 'evicted') onEvicted(event);
    else if (event.what === 'layer hit') counts.layerHitCount += 1;
    else if (event.what === 'layer miss') counts.layerMissCount += 1;
    else if (event.what === 'rendered') counts.renderedCount += 1;
    else counts.parsedCount += 1;
  };
  const budget = { maxBytes: settings.storeBytes, restMs: settings.storeRestMs, onEvicted };
  const store = await ContentStore.open({ dir: storeDir, limits, locks, budget, key: settings.storeKey });
  await store.sweep();
  await rm(renditionsFolder(storeDir), { recursive: true, force: true });
  await mkdir(renditionsFolder(storeDir), { recursive: true });
  const uploads = await Uploads.open(uploadsFolder(storeDir), temporaryFolder(storeDir));
  const pool = new ThreadPool(settings, { locks, onWork });
  const openSingle = (): ThreadPool => new ThreadPool({ ...settings, threads: 1 }, { locks, onWork });
  return { store, uploads, pool, largePool: openSingle(), chartPool: openSingle(), counts };
}

/** Whose threads load what is requested. */
async function loadingPool({ store, pool, largePool, chartPool }: Parts, request: LoadRequest): Promise<ThreadPool> {
  if (formatOf(request.provisionerClassName).hasReleases === true) return chartPool;
  return loadedBytes(request, await store.find(request.bundle)) > largeBytes ? largePool : pool;
}

/** What concerns the budget of the store. */
function createShelf(
  { storeDir, storeBytes: budgetBytes }: UnpackerSettings,
  store: ContentStore,
  counts: Counts,
): Pick<Unpacker, 'servedFile' | 'onRequested' | 'makeRoom' | 'usage'> {
  const requested = new RequestedContents(store);
  return {
    async servedFile(bundleName, { signal }) {
      const record = await requested.obtain(bundleName, signal);
      if (record === undefined) return undefined;
      await store.touch(bundleName);
      return `${storeDir}/${bundleName}.tgz`;
    },
    onRequested: (listener) => requested.listen(listener),
    makeRoom: (sizeBytes, options) => store.makeRoom(sizeBytes, options),
    usage: async () => ({ ...(await store.usage()), ...counts, budgetBytes }),
  };
}

/** The shared store, worked on in threads. */
function createShared({ shared }: UnpackerSettings, pool: ThreadPool): SharedContents | undefined {
  if (shared === undefined) return undefined;
  const start = `${sharedStoreName(shared)}@`;
  return {
    has: (storedAt): storedAt is string => storedAt?.startsWith(start) === true,
    share: (bundle, { replaced, signal }) => pool.run('share', { bundle, replaced }, { signal }),
    shareUpload: (bundle, path, options) => pool.run('shareUpload', { bundle, path }, options),
    restore: (bundle, { storedAt, expectedDigest }, options) =>
      pool.run('restore', { bundle, storedAt, expectedDigest }, options),
    uids: (options) => pool.run('listShared', undefined, options),
    unshare: (uid, options) => pool.run('unshare', { uid }, options),
  };
}

/** Releases of Helm, read in threads. */
function createReleases(pool: ThreadPool): PackedReleases {
  return {
    objects: async (release, { signal }) => joinObjects(await pool.run('releaseObjects', release, { signal }), signal),
    start: (release, options) => pool.run('releaseStart', release, options),
    superseded: (release, options) => pool.run('supersedeRelease', release, options),
  };
}

/** Removes contents and uploads, until the signal fires. */
function createRemoval(
  pool: ThreadPool,
  uploads: Uploads,
  signal: AbortSignal,
): Pick<Unpacker, 'discard' | 'forgetContent' | 'forgetUpload'> {
  const forgetContent = async (bundleName: string): Promise<void> => {
    await pool.run('discard', { bundleName }, { signal });
  };
  return {
    async discard(bundleName) {
      await forgetContent(bundleName);
      await uploads.remove(bundleName);
    },
    forgetContent,
    forgetUpload: (bundle) => uploads.forget(bundle),
  };
}

/** Locks and opens the store, sweeps what an earlier process left half done, and is ready; threads start with the first job.
 *  @throws TerminalError DataFolderInUse, DataFolderUnusable */
export async function createUnpacker(options: UnpackerOptions): Promise<Unpacker> {
  const settings = completeSettings(options);
  using stack = new DisposableStack();
  stack.use(lockFolder(settings.storeDir));
  const parts = await openParts(settings);
  const { store, uploads, pool, largePool, chartPool, counts } = parts;
  const closing = new AbortController();
  const held = stack.move();
  return {
    shared: createShared(settings, pool),
    releases: createReleases(pool),
    async unpack(asked, { signal, onProgress }) {
      const hasMirrors = definitionOf(asked.source).isImage === true && asked.mirrors === undefined;
      const mirrors = hasMirrors ? { mirrors: await options.readMirrors?.() } : {};
      const request = { imagePolicy: await options.readImagePolicy?.(), ...asked, ...mirrors };
      return await pool.run('unpack', request, { signal, onProgress });
    },
    async load(request, { signal }) {
      const { pieces, ...loaded } = await (await loadingPool(parts, request)).run('load', request, { signal });
      return { ...loaded, objects: await joinObjects(pieces, signal) };
    },
    async find(bundle) {
      const record = await store.find(bundle);
      return record === undefined ? undefined : contentOf(record);
    },
    async checkArchive(path, { signal, provisionerClassName }) {
      await pool.run('check', { path, provisionerClassName }, { signal });
    },
    ...createRemoval(pool, uploads, closing.signal),
    async sweepUploads(isOwned) {
      await uploads.sweep(isOwned);
      counts.sweepCount += 1;
    },
    ...createShelf(settings, store, counts),
    async list() {
      return (await store.list()).map(({ name, uid }) => ({ name, uid }));
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.all([pool, largePool, chartPool].map((each) => each[Symbol.asyncDispose]()));
      held.dispose();
    },
  };
}
