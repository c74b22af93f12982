/** The inside of the thread that unpacks one catalog. Started by `unpack-thread.ts`. */
import { serveJobs } from '../../base/index.ts';
import { indexConfigMap } from './index-config-map.ts';
import { indexRegistry } from './index-registry.ts';
import { unpackCatalog } from './unpack-catalog.ts';
import type { CatalogJobs } from './unpack-job.ts';

serveJobs<CatalogJobs>({
  unpack: (job, { signal }) => unpackCatalog(job, signal),
  registry: (job, { signal }) => indexRegistry(job, signal),
  configMap: (job, { signal }) => indexConfigMap(job, signal),
});
