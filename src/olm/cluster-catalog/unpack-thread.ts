import { Worker } from 'node:worker_threads';
import { errorMessage, TransientError, unpackError } from '../../base/index.ts';
import type { FromUnpacker, UnpackedCatalog, UnpackJob } from './unpack-job.ts';

/** Catalogs are streamed: more room for what is young would only be filled. */
const youngHeapMebibytes = 32;
/** After an abort or its deadline the thread has this long to obey before it is ended. */
const obeyMs = 5_000;

/** Source files run as they stand, built files as JavaScript. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './unpack-worker.ts' : './unpack-worker.js', import.meta.url);
}

/** Unpacks a catalog in a thread of its own, which has a heap of its own: a catalog that needs more ends the thread and nothing else.
 *  @throws as `unpackCatalog` · TransientError UnpackerEnded · the signal's reason */
export async function unpackInThread(job: UnpackJob, signal: AbortSignal): Promise<UnpackedCatalog> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<UnpackedCatalog>();
  const worker = new Worker(workerUrl(), {
    workerData: job,
    resourceLimits: {
      maxOldGenerationSizeMb: job.settings.heapMebibytes,
      maxYoungGenerationSizeMb: youngHeapMebibytes,
    },
    name: 'catalog',
  });
  let why = '';
  worker.on('message', (message: FromUnpacker) => {
    if (message.kind === 'done') resolve(message.unpacked);
    else reject(unpackError(message.error));
  });
  worker.on('error', (thrown: unknown) => {
    why = `: ${errorMessage(thrown)}`;
  });
  worker.on('exit', () => {
    const text = `error storing fbc: ${job.ref}: the thread that unpacked it ended${why}`;
    reject(new TransientError('UnpackerEnded', text));
  });
  const end = (): void => void worker.terminate();
  // The thread minds its deadline itself, unless it is so busy that it hears nothing.
  const { deadlineMs } = job.settings;
  const late = setTimeout(() => {
    why = ` after ${deadlineMs + obeyMs} ms, in which it was not done`;
    end();
  }, deadlineMs + obeyMs);
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    worker.postMessage('stop');
    timer = setTimeout(end, obeyMs);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await promise;
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  } finally {
    clearTimeout(late);
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
