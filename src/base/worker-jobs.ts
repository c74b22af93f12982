import { parentPort } from 'node:worker_threads';
import { packError } from './plain-error.ts';
import { threadMemory } from './thread-memory.ts';
import type { FromWorker, JobTypes, ToWorker } from './worker-messages.ts';

/** What a job is done with. */
export interface JobContext {
  /** Fires when the result is not needed any more, and when the thread ends. */
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

/** One function a kind of job. */
export type JobHandlers<Jobs extends JobTypes<Jobs>> = {
  readonly [Kind in keyof Jobs]: (
    input: Jobs[Kind]['input'],
    context: JobContext,
  ) => Promise<Jobs[Kind]['result']> | Jobs[Kind]['result'];
};

function send(message: FromWorker): void {
  parentPort?.postMessage(message);
}

/** Sends an event to the main thread, from inside a worker thread. */
export function sendEvent(event: unknown): void {
  send({ type: 'event', event });
}

/** The inside of a worker thread: does the jobs of its `WorkerThread`, several at a time, until it is closed. `onNotice` gets what that sends. */
export function serveJobs<Jobs extends JobTypes<Jobs>>(
  handlers: JobHandlers<Jobs> | Promise<JobHandlers<Jobs>>,
  onNotice: (notice: unknown) => void = () => undefined,
): void {
  const running = new Map<number, AbortController>();
  const run = async ({ id, kind, input }: Extract<ToWorker, { type: 'run' }>): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      // Only `WorkerThread` sends, whose calls are checked against the same kinds.
      const handle = (await handlers)[kind as keyof Jobs];
      const onProgress = (line: string): void => send({ type: 'progress', id, line });
      send({ type: 'done', id, result: await handle(input, { signal: controller.signal, onProgress }) });
    } catch (thrown) {
      send({ type: 'failed', id, error: packError(thrown) });
    } finally {
      running.delete(id);
    }
  };
  const abort = (id: number): void => {
    running.get(id)?.abort(new Error('aborted'));
    send({ type: 'aborting', id });
  };
  const close = (): void => {
    for (const controller of running.values()) controller.abort(new Error('aborted'));
    // Without the port, nothing keeps the thread.
    parentPort?.close();
  };
  // The process limits the memory of all its threads together.
  threadMemory.onChange = (sizeBytes) => send({ type: 'memory', sizeBytes });
  // A failure to open is the failure of each job.
  if (handlers instanceof Promise) handlers.catch(() => undefined);
  parentPort?.on('message', (message: ToWorker) => {
    if (message.type === 'run') void run(message);
    else if (message.type === 'abort') abort(message.id);
    else if (message.type === 'notice') onNotice(message.notice);
    else if (message.type === 'make room') threadMemory.makeRoom();
    else close();
  });
}
