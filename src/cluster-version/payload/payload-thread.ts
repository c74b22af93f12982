import { TransientError, WorkerThread, workerUrl } from '../../base/index.ts';
import { type PayloadFile, type PayloadReading, type ReleasePayload, storedManifest } from '../../release/index.ts';
import type { PayloadJobs } from './payload-job.ts';

/** A published release of a thousand manifests takes a third of it. */
const heapMebibytes = 192;
const youngHeapMebibytes = 6;
const deadlineMs = 60_000;

class ThreadEnded extends Error {}

/** Reads the files of a release in a thread with a bounded heap: a release that needs more, or longer than a minute, ends only the thread.
 *  @throws as `parsePayload` · TransientError ReaderEnded · the signal's reason */
export async function readInThread(
  files: readonly PayloadFile[],
  reading: PayloadReading,
  signal: AbortSignal,
): Promise<ReleasePayload> {
  const url = workerUrl(import.meta.url, 'payload-worker');
  const endedError = (why: string): Error => new ThreadEnded(why);
  const options = { url, name: 'release', heapMebibytes, youngHeapMebibytes, endedError };
  const thread = new WorkerThread<PayloadJobs>(options);
  try {
    const payload = await thread.run('read', { files, reading }, { signal, deadlineMs });
    return { ...payload, manifests: payload.manifests.map(storedManifest) };
  } catch (thrown) {
    if (!(thrown instanceof ThreadEnded)) throw thrown;
    throw new TransientError('ReaderEnded', `the thread that read the release ended: ${thrown.message}`, {
      cause: thrown,
    });
  } finally {
    thread.leave();
  }
}
