import type { JsonObject } from '../../src/base/index.ts';
import { ContentStore, createLocks } from '../../src/content/index.ts';
import { contentOf } from './content-work.ts';
import { ThreadPool } from './pool.ts';
import { completeSettings } from './settings.ts';
import type { UnpackedContent, Unpacker, UnpackerOptions } from './unpacker.ts';

/** Opens the store, sweeps what an earlier process left half done, and is ready; threads start with the first job. */
export async function createUnpacker(options: UnpackerOptions): Promise<Unpacker> {
  const settings = completeSettings(options);
  const store = await ContentStore.open({ dir: settings.storeDir, limits: settings.limits, locks: createLocks() });
  await store.sweep();
  const pool = new ThreadPool(settings);
  const closing = new AbortController();
  return {
    async unpack(request, { signal, onProgress }) {
      return (await pool.run({ kind: 'unpack', request }, { signal, onProgress })) as UnpackedContent;
    },
    async load(bundle, { signal, provisionerClassName = 'core-rukpak-io-plain' }) {
      return (await pool.run({ kind: 'load', bundle, provisionerClassName }, { signal })) as JsonObject[];
    },
    async find(bundle) {
      const record = await store.find(bundle);
      return record === undefined ? undefined : contentOf(record);
    },
    async discard(bundleName) {
      await pool.run({ kind: 'discard', bundleName }, { signal: closing.signal });
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
