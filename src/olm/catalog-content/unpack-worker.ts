/** The inside of the thread that unpacks one catalog. Started by `unpack-thread.ts`. */
import { dirname } from 'node:path';
import { serveJobs } from '../../base/index.ts';
import { explainFullDisk } from '../../content/index.ts';
import { indexConfigMap } from './index-config-map.ts';
import { indexRegistry } from './index-registry.ts';
import { unpackCatalog } from './unpack-catalog.ts';
import type { CatalogJobs } from './unpack-job.ts';

/** A full disk is named with its folder, and never a fault of the catalog. */
async function onDisk<T>({ file }: { readonly file: string }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw explainFullDisk(thrown, dirname(file));
  }
}

serveJobs<CatalogJobs>({
  unpack: (job, { signal }) => onDisk(job, () => unpackCatalog(job, signal)),
  registry: (job, { signal }) => onDisk(job, () => indexRegistry(job, signal)),
  configMap: (job, { signal }) => onDisk(job, () => indexConfigMap(job, signal)),
});
