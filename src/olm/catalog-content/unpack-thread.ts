import { ThreadPool, TransientError, WorkerThread, workerUrl } from '../../base/index.ts';
import type {
  CatalogJobs,
  ConfigMapJob,
  RegistryJob,
  UnpackedCatalog,
  UnpackJob,
  UnpackSettings,
} from './unpack-job.ts';

const youngHeapMebibytes = 32;
/** The thread ends the job at its deadline itself, unless it is so busy that it cannot. */
const graceMs = 5_000;

class ThreadEnded extends Error {}

/** Reads catalogs in worker threads with bounded heaps: a catalog that needs more ends only its thread. Threads are used again, for one catalog at a
 *  time. */
export class CatalogThreads implements Disposable {
  readonly #pool: ThreadPool<CatalogJobs>;

  constructor({ heapMebibytes }: Pick<UnpackSettings, 'heapMebibytes'>) {
    const endedError = (why: string): Error => new ThreadEnded(why);
    const url = workerUrl(import.meta.url, 'unpack-worker');
    const options = { url, name: 'catalog', heapMebibytes, youngHeapMebibytes, endedError };
    this.#pool = new ThreadPool(() => new WorkerThread<CatalogJobs>(options));
  }

  /** Unpacks the catalog of an image.
   *  @throws as `unpackCatalog` · TransientError UnpackerEnded · the signal's reason */
  async unpack(job: UnpackJob, signal: AbortSignal): Promise<UnpackedCatalog> {
    return await this.#run('unpack', job, { what: job.ref, signal });
  }

  /** Reads what a registry serves.
   *  @throws as `indexRegistry` · TransientError UnpackerEnded · the signal's reason */
  async indexRegistry(job: RegistryJob, signal: AbortSignal): Promise<UnpackedCatalog> {
    return await this.#run('registry', job, { what: job.address, signal });
  }

  /** Reads the catalog of a ConfigMap.
   *  @throws as `indexConfigMap` · TransientError UnpackerEnded · the signal's reason */
  async indexConfigMap(job: ConfigMapJob, signal: AbortSignal): Promise<UnpackedCatalog> {
    return await this.#run('configMap', job, { what: `configmap ${job.configMap}`, signal });
  }

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }

  async #run<Kind extends keyof CatalogJobs>(
    kind: Kind,
    job: CatalogJobs[Kind]['input'],
    { what, signal }: { readonly what: string; readonly signal: AbortSignal },
  ): Promise<UnpackedCatalog> {
    try {
      return await this.#pool.run(kind, job, { signal, deadlineMs: job.settings.deadlineMs + graceMs });
    } catch (thrown) {
      if (!(thrown instanceof ThreadEnded)) throw thrown;
      const text = `error storing fbc: ${what}: the thread that unpacked it ended: ${thrown.message}`;
      throw new TransientError('UnpackerEnded', text, { cause: thrown });
    }
  }
}
