import { ThreadPool, TransientError, WorkerThread, workerUrl } from '../../base/index.ts';
import { type PayloadFile, type PayloadReading, type ReleasePayload, storedManifest } from '../../release/index.ts';
import type { PayloadJobs } from './payload-job.ts';

/** A published release of a thousand manifests takes a third of it. */
const heapMebibytes = 192;
const youngHeapMebibytes = 6;
const deadlineMs = 60_000;

class ThreadEnded extends Error {}

/** One for the process: engines read few releases, one after the other, and start no thread for each of them. */
const threads = new ThreadPool<PayloadJobs>(
  () =>
    new WorkerThread<PayloadJobs>({
      url: workerUrl(import.meta.url, 'payload-worker'),
      name: 'release',
      heapMebibytes,
      youngHeapMebibytes,
      endedError: (why) => new ThreadEnded(why),
    }),
);

/** Reads the files of a release in a thread with a bounded heap: a release that needs more, or longer than a minute, ends only the thread.
 *  @throws as `parsePayload` · TransientError ReaderEnded · the signal's reason */
export async function readInThread(
  files: readonly PayloadFile[],
  reading: PayloadReading,
  signal: AbortSignal,
): Promise<ReleasePayload> {
  try {
    const payload = await threads.run('read', { files, reading }, { signal, deadlineMs });
    return { ...payload, manifests: payload.manifests.map(storedManifest) };
  } catch (thrown) {
    if (!(thrown instanceof ThreadEnded)) throw thrown;
    throw new TransientError('ReaderEnded', `the thread that read the release ended: ${thrown.message}`, {
      cause: thrown,
    });
  }
}
