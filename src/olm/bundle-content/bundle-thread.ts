import { TerminalError, TransientError, workerUrl } from '../../base/index.ts';
import { ContentThreads, largestMemory, ThreadEnded } from '../content-threads.ts';
import { withWindow } from '../images/image-job.ts';
import type { BundleJob, BundleJobs } from './bundle-job.ts';

/** The thread ends the job at its deadline itself, unless it is so busy that it cannot. */
const graceMs = 5_000;

/** The same content takes as much memory each time. */
function endedError({ name }: BundleJob, thrown: ThreadEnded): Error {
  if (!thrown.isOutOfMemory) {
    const text = `bundle ${name}: the thread that unpacked it ended: ${thrown.message}`;
    return new TransientError('UnpackerEnded', text, { cause: thrown });
  }
  const text = `bundle ${name}: it takes more memory than the limit of ${largestMemory}: expected manifests with fewer values`;
  return new TerminalError('InvalidBundle', text, { cause: thrown });
}

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
      throw endedError(job, thrown);
    }
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}
