import type { JsonObject } from '../../src/base/index.ts';
import { ContentStore, createLocks, Uploads } from '../../src/content/index.ts';
import { contentOf } from './content-work.ts';
import { ThreadPool } from './pool.ts';
import { completeSettings, temporaryFolder, uploadsFolder } from './settings.ts';
import type { UnpackedContent, Unpacker, UnpackerOptions } from './unpacker.ts';

/** Opens the store, sweeps what an earlier process left half done, and is ready; threads start with the first job. */
export async function createUnpacker(options: UnpackerOptions): Promise<Unpacker> {
  const settings = completeSettings(options);
  const store = await ContentStore.open({ dir: settings.storeDir, limits: settings.limits, locks: createLocks() });
  await store.sweep();
  const uploads = await Uploads.open(uploadsFolder(settings.storeDir), temporaryFolder(settings.storeDir));
  const pool = new ThreadPool(settings);
  const closing = new AbortController();
  return {
    async unpack(asked, { signal, onProgress }) {
      const isImage = asked.source.type === 'image' && asked.mirrors === undefined;
      const request = isImage ? { ...asked, mirrors: await options.readMirrors?.() } : asked;
      return (await pool.run({ kind: 'unpack', request }, { signal, onProgress })) as UnpackedContent;
    },
    async load(bundle, { signal, provisionerClassName = 'core-rukpak-io-plain' }) {
      return (await pool.run({ kind: 'load', bundle, provisionerClassName }, { signal })) as JsonObject[];
    },
    async find(bundle) {
      const record = await store.find(bundle);
      return record === undefined ? undefined : contentOf(record);
    },
    async checkArchive(path, { signal }) {
      await pool.run({ kind: 'check', path }, { signal });
    },
    async discard(bundleName) {
      await pool.run({ kind: 'discard', bundleName }, { signal: closing.signal });
      await uploads.remove(bundleName);
    },
    async sweepUploads(isOwned) {
      await uploads.sweep(isOwned);
    },
    async list() {
      return (await store.list()).map(({ name, uid }) => ({ name, uid }));
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await pool[Symbol.asyncDispose]();
    },
  };
}
