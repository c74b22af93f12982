/** The inside of the thread that unpacks one catalog, and ends. Started by `unpack-thread.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { packError } from '../../base/index.ts';
import { unpackCatalog } from './unpack-catalog.ts';
import type { FromUnpacker, UnpackJob } from './unpack-job.ts';

const stop = new AbortController();
// Whatever comes from outside says that the work is not wanted any more.
parentPort?.on('message', () => stop.abort(new Error('aborted')));

function tell(message: FromUnpacker): void {
  parentPort?.postMessage(message);
  parentPort?.close();
}

try {
  tell({ kind: 'done', unpacked: await unpackCatalog(workerData as UnpackJob, stop.signal) });
} catch (thrown) {
  tell({ kind: 'failed', error: packError(thrown) });
}
