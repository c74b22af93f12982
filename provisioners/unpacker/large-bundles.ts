import { TerminalError, ThreadPool, TransientError, WorkerThread, workerUrl } from '../../src/base/index.ts';
import type { KeyedLocks, StagedFiles, Staging } from '../../src/content/index.ts';
import { formatOf } from '../../src/formats/index.ts';
import { type ReadBundle, readBundle } from './read-bundle.ts';

/** Smaller ones are read where they were fetched: that takes less time than to give them to a thread. */
export const largeBytes: number = 1024 * 1024;
const youngHeapMebibytes = 64;

/** What a thread that reads bundles does. */
export interface ReadingJobs {
  readonly read: {
    readonly input: { readonly staged: StagedFiles; readonly provisionerClassName: string };
    readonly result: ReadBundle;
  };
}

function endedError(why: string, heapMebibytes: number): TerminalError | TransientError {
  if (!why.includes('memory limit')) {
    return new TransientError('UnpackerRestarted', `the thread that reads the bundle ended: ${why}`);
  }
  const text = `get objects from bundle manifests: they take more memory than the limit of ${heapMebibytes} MiB: expected manifests with fewer values`;
  return new TerminalError('InvalidBundle', text);
}

/** Packed charts may be a thousand times larger than their files: whatever these have, reading them may take long. */
const packedChart = /\.(tgz|tar\.gz)$/;

/** Of the files that are read; more than `largeBytes` for packed charts. */
function readBytes({ tree }: Staging, provisionerClassName: string): number {
  const { directories, hasReleases = false } = formatOf(provisionerClassName);
  const isRead = (path: string): boolean => directories === 'all' || directories.includes(path.split('/')[0] ?? '');
  let sizeBytes = 0;
  for (const { path, node } of tree.entries()) {
    if (node.kind !== 'file' || !isRead(path)) continue;
    sizeBytes += hasReleases && packedChart.test(path) ? node.sizeBytes + largeBytes : node.sizeBytes;
  }
  return sizeBytes;
}

/** Reads bundles; large ones one at a time, the smallest first, in a thread of their own: others neither wait for them, nor end with them when they take too much memory. */
export class BundleReader {
  readonly #locks: KeyedLocks;
  readonly #threads: ThreadPool<ReadingJobs>;

  constructor(locks: KeyedLocks, heapMebibytes: number) {
    this.#locks = locks;
    this.#threads = new ThreadPool<ReadingJobs>(
      () =>
        new WorkerThread<ReadingJobs>({
          url: workerUrl(import.meta.url, 'reading-worker'),
          name: 'bundle-reader',
          heapMebibytes,
          youngHeapMebibytes,
          endedError: (why) => endedError(why, heapMebibytes),
        }),
    );
  }

  /** @throws as `readBundle`; TransientError UnpackerRestarted */
  async read(
    staging: Staging,
    provisionerClassName: string,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ReadBundle> {
    const sizeBytes = readBytes(staging, provisionerClassName);
    if (sizeBytes <= largeBytes) return await readBundle(staging, provisionerClassName);
    await using _ = await this.#locks.acquire('large bundle', { signal, sizeBytes });
    const input = { staged: await staging.describe(), provisionerClassName };
    const { packed, ...read } = await this.#threads.run('read', input, { signal });
    return { ...read, packed: packed === undefined ? undefined : { ...packed, bytes: Buffer.from(packed.bytes) } };
  }

  /** Content of that size is loaded one at a time: its objects are in memory until they are handed over. */
  async turnOf(sizeBytes: number, { signal }: { readonly signal: AbortSignal }): Promise<AsyncDisposable | undefined> {
    return sizeBytes > largeBytes ? await this.#locks.acquire('large content', { signal, sizeBytes }) : undefined;
  }
}
