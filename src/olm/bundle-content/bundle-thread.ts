import { ThreadPool, TransientError, WorkerThread, workerUrl } from '../../base/index.ts';
import type { UnpackSettings } from '../catalog-content/unpack-job.ts';
import type { BundleJob, BundleJobs } from './bundle-job.ts';

const youngHeapMebibytes = 32;
/** The thread ends the job at its deadline itself, unless it is so busy that it cannot. */
const graceMs = 5_000;

class ThreadEnded extends Error {}

/** Reads the bundles of images in worker threads with bounded heaps: a bundle that needs more ends only its thread. Threads are used again, for one
 *  bundle at a time. */
export class BundleThreads implements Disposable {
  readonly #pool: ThreadPool<BundleJobs>;

  constructor({ heapMebibytes }: Pick<UnpackSettings, 'heapMebibytes'>) {
    const endedError = (why: string): Error => new ThreadEnded(why);
    const url = workerUrl(import.meta.url, 'bundle-worker');
    const options = { url, name: 'bundle', heapMebibytes, youngHeapMebibytes, endedError };
    this.#pool = new ThreadPool(() => new WorkerThread<BundleJobs>(options));
  }

  /** @throws as `unpackBundle` · TransientError UnpackerEnded · the signal's reason */
  async unpack(job: BundleJob, signal: AbortSignal): Promise<{ readonly image: string }> {
    try {
      return await this.#pool.run('unpack', job, { signal, deadlineMs: job.settings.deadlineMs + graceMs });
    } catch (thrown) {
      if (!(thrown instanceof ThreadEnded)) throw thrown;
      const text = `bundle ${job.name}: the thread that unpacked it ended: ${thrown.message}`;
      throw new TransientError('UnpackerEnded', text, { cause: thrown });
    }
  }

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }
}
