import { TransientError, WorkerThread, workerUrl } from '../../base/index.ts';
import type { CatalogJobs, ConfigMapJob, RegistryJob, UnpackedCatalog, UnpackJob } from './unpack-job.ts';

const youngHeapMebibytes = 32;
/** The thread ends the job at its deadline itself, unless it is so busy that it cannot. */
const graceMs = 5_000;

async function runInThread<Kind extends keyof CatalogJobs>(
  kind: Kind,
  job: CatalogJobs[Kind]['input'],
  { what, signal }: { readonly what: string; readonly signal: AbortSignal },
): Promise<UnpackedCatalog> {
  signal.throwIfAborted();
  const { heapMebibytes, deadlineMs } = job.settings;
  const thread = new WorkerThread<CatalogJobs>({
    url: workerUrl(import.meta.url, 'unpack-worker'),
    name: 'catalog',
    heapMebibytes,
    youngHeapMebibytes,
    endedError: (why) =>
      new TransientError('UnpackerEnded', `error storing fbc: ${what}: the thread that unpacked it ended: ${why}`),
  });
  try {
    return await thread.run(kind, job, { signal, deadlineMs: deadlineMs + graceMs });
  } finally {
    await thread.close();
  }
}

/** Unpacks a catalog in a worker thread with a bounded heap: a catalog that needs more ends only the thread.
 *  @throws as `unpackCatalog` · TransientError UnpackerEnded · the signal's reason */
export async function unpackInThread(job: UnpackJob, signal: AbortSignal): Promise<UnpackedCatalog> {
  return await runInThread('unpack', job, { what: job.ref, signal });
}

/** Reads what a registry serves, in such a thread.
 *  @throws as `indexRegistry` · TransientError UnpackerEnded · the signal's reason */
export async function indexRegistryInThread(job: RegistryJob, signal: AbortSignal): Promise<UnpackedCatalog> {
  return await runInThread('registry', job, { what: job.address, signal });
}

/** Reads the catalog of a ConfigMap, in such a thread.
 *  @throws as `indexConfigMap` · TransientError UnpackerEnded · the signal's reason */
export async function indexConfigMapInThread(job: ConfigMapJob, signal: AbortSignal): Promise<UnpackedCatalog> {
  return await runInThread('configMap', job, { what: `configmap ${job.configMap}`, signal });
}
