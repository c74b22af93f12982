import { workerUrl } from '../../base/index.ts';
import { ContentThreads, ThreadEnded, type ThreadMemory } from '../content-threads.ts';
import { withWindow } from '../images/image-job.ts';
import {
  type CatalogJobs,
  type ConfigMapJob,
  contentFault,
  type RegistryJob,
  type UnpackedCatalog,
  type UnpackJob,
} from './unpack-job.ts';

/** The thread ends the job at its deadline itself, unless it is so busy that it cannot. */
const graceMs = 5_000;

interface RunOptions {
  readonly job: Pick<RegistryJob, 'settings' | 'group'>;
  readonly what: string;
  readonly signal: AbortSignal;
}

const tooLarge = { reason: contentFault, expected: 'fewer or smaller documents' };

type InputFor<Kind extends keyof CatalogJobs> = (memory: ThreadMemory) => CatalogJobs[Kind]['input'];

/** Reads catalogs in worker threads. */
export class CatalogThreads implements Disposable {
  readonly #threads = new ContentThreads<CatalogJobs>({
    url: workerUrl(import.meta.url, 'unpack-worker'),
    name: 'catalog',
  });

  /** Unpacks the catalog of an image.
   *  @throws as `unpackCatalog` · TerminalError CatalogContentFault when it takes too much memory · TransientError UnpackerEnded, MadeRoom · the signal's reason */
  async unpack(job: UnpackJob, signal: AbortSignal): Promise<UnpackedCatalog> {
    return await this.#run('unpack', ({ windowBytes }) => withWindow(job, windowBytes), { job, what: job.ref, signal });
  }

  /** Reads what a registry serves.
   *  @throws as `indexRegistry` · TransientError UnpackerEnded, MadeRoom · the signal's reason */
  async indexRegistry(job: RegistryJob, signal: AbortSignal): Promise<UnpackedCatalog> {
    return await this.#run('registry', () => job, { job, what: job.address, signal });
  }

  /** Reads the catalog of a ConfigMap.
   *  @throws as `indexConfigMap` · TransientError UnpackerEnded, MadeRoom · the signal's reason */
  async indexConfigMap(job: ConfigMapJob, signal: AbortSignal): Promise<UnpackedCatalog> {
    return await this.#run('configMap', () => job, { job, what: `configmap ${job.configMap}`, signal });
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }

  async #run<Kind extends keyof CatalogJobs>(
    kind: Kind,
    inputFor: InputFor<Kind>,
    { job, what, signal }: RunOptions,
  ): Promise<UnpackedCatalog> {
    const { group, settings } = job;
    try {
      return await this.#threads.run(kind, inputFor, { group, signal, deadlineMs: settings.deadlineMs + graceMs });
    } catch (thrown) {
      if (!(thrown instanceof ThreadEnded)) throw thrown;
      throw thrown.asFaultOf(`error storing fbc: ${what}`, tooLarge);
    }
  }
}
