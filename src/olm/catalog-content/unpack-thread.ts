import { TransientError, WorkerThread, workerUrl } from '../../base/index.ts';
import type { CatalogJobs, UnpackedCatalog, UnpackJob } from './unpack-job.ts';

const youngHeapMebibytes = 32;
/** The thread ends the job at its deadline itself, unless it is so busy that it cannot. */
const graceMs = 5_000;

/** Unpacks a catalog in a worker thread with a bounded heap: a catalog that needs more ends only the thread.
 *  @throws as `unpackCatalog` · TransientError UnpackerEnded · the signal's reason */
export async function unpackInThread(job: UnpackJob, signal: AbortSignal): Promise<UnpackedCatalog> {
  signal.throwIfAborted();
  const thread = new WorkerThread<CatalogJobs>({
    url: workerUrl(import.meta.url, 'unpack-worker'),
    name: 'catalog',
    heapMebibytes: job.settings.heapMebibytes,
    youngHeapMebibytes,
    endedError: (why) =>
      new TransientError('UnpackerEnded', `error storing fbc: ${job.ref}: the thread that unpacked it ended: ${why}`),
  });
  try {
    return await thread.run('unpack', job, { signal, deadlineMs: job.settings.deadlineMs + graceMs });
  } finally {
    await thread.close();
  }
}
