import { TransientError, WorkerThread, workerUrl } from '../../base/index.ts';
import type { BundleJob, BundleJobs } from './bundle-job.ts';

const youngHeapMebibytes = 32;
/** The thread ends the job at its deadline itself, unless it is so busy that it cannot. */
const graceMs = 5_000;

/** Reads the bundle of an image in a worker thread with a bounded heap: a bundle that needs more ends only the thread.
 *  @throws as `unpackBundle` · TransientError UnpackerEnded · the signal's reason */
export async function unpackInThread(job: BundleJob, signal: AbortSignal): Promise<{ readonly image: string }> {
  signal.throwIfAborted();
  const thread = new WorkerThread<BundleJobs>({
    url: workerUrl(import.meta.url, 'bundle-worker'),
    name: 'bundle',
    heapMebibytes: job.settings.heapMebibytes,
    youngHeapMebibytes,
    endedError: (why) =>
      new TransientError('UnpackerEnded', `bundle ${job.name}: the thread that unpacked it ended: ${why}`),
  });
  try {
    return await thread.run('unpack', job, { signal, deadlineMs: job.settings.deadlineMs + graceMs });
  } finally {
    await thread.close();
  }
}
