/** A thread of a registry: opens the index that it is given, serves it where it is asked to, and stops. */
import { workerData } from 'node:worker_threads';
import { type Logger, sendEvent, serveJobs, silentLogger } from '../../base/index.ts';
import { openCatalogIndex } from '../store/catalog-index.ts';
import { startRegistryServer } from './registry-server.ts';
import type { FailedCall, RegistryJobs, RegistryThreadData } from './registry-threads.ts';

const index = openCatalogIndex((workerData as RegistryThreadData).file);
const servers = new AsyncDisposableStack();

/** Failed calls are logged by the main thread, whose log level may change. */
const log: Logger = { ...silentLogger(), debug: (fields: object) => sendEvent({ ...fields } satisfies FailedCall) };

serveJobs<RegistryJobs>({
  // It is open by then.
  open: () => undefined,
  listen: async (address) => {
    servers.use(await startRegistryServer({ ...address, log, catalog: () => index, isPortShared: true }));
  },
  stop: async () => {
    await servers.disposeAsync();
    index[Symbol.dispose]();
  },
});
