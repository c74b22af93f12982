import { workerUrl } from '../../base/index.ts';
import { ContentThreads, ThreadEnded } from '../content-threads.ts';
import { withWindow } from '../images/image-job.ts';
import type { BundleJob, BundleJobs } from './bundle-job.ts';

/** The thread ends the job at its deadline itself, unless it is so busy that it cannot. */
const graceMs = 5_000;

const tooLarge = { reason: 'InvalidBundle', expected: 'manifests with fewer values' };

/** Reads the bundles of images in worker threads. */
export class BundleThreads implements Disposable {
  readonly #threads = new ContentThreads<BundleJobs>({
    url: workerUrl(import.meta.url, 'bundle-worker'),
    name: 'bundle',
  });

  /** @throws as `unpackBundle` · TerminalError InvalidBundle when it takes too much memory · TransientError UnpackerEnded, MadeRoom · the signal's reason */
  async unpack(job: BundleJob, signal: AbortSignal): Promise<{ readonly image: string }> {
    const { group, settings } = job;
    const options = { group, signal, deadlineMs: settings.deadlineMs + graceMs };
    try {
      return await this.#threads.run('unpack', ({ windowBytes }) => withWindow(job, windowBytes), options);
    } catch (thrown) {
      if (!(thrown instanceof ThreadEnded)) throw thrown;
      throw thrown.asFaultOf(`bundle ${job.name}`, tooLarge);
    }
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}
