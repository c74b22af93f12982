import { type JobOptions, TransientError, WorkerThread, workerUrl } from '../../src/base/index.ts';
import type { KeyedLocks } from '../../src/content/index.ts';
import type { LockGranted, UnpackerEvent, UnpackerJobs, WorkEvent } from './messages.ts';
import type { UnpackerSettings } from './settings.ts';

/** Contents are streamed: more room for young objects would only be filled, and never be released. */
const youngHeapMebibytes = 16;
/** A thread holds 25 MiB and more, takes longer to start than most jobs take, and remembers which registries asked for a pause. */
const idleMs = 5 * 60_000;

type UnpackerThread = WorkerThread<UnpackerJobs>;

interface PoolOptions {
  /** Shared with all that work on the store. */
  readonly locks: KeyedLocks;
  readonly onWork: (event: WorkEvent) => void;
}

type Acquisition = Extract<UnpackerEvent, { readonly kind: 'acquire' }>;

interface HeldLock {
  release?: AsyncDisposable;
  readonly controller: AbortController;
}

/** The locks of one thread, kept here, so that they hold across threads. */
class ThreadLocks {
  readonly #locks: KeyedLocks;
  readonly #grant: (granted: LockGranted) => void;
  readonly #held = new Map<number, HeldLock>();

  constructor(locks: KeyedLocks, grant: (granted: LockGranted) => void) {
    this.#locks = locks;
    this.#grant = grant;
  }

  async acquire({ lockId, key, sizeBytes = 0 }: Acquisition): Promise<void> {
    const held: HeldLock = { controller: new AbortController() };
    this.#held.set(lockId, held);
    try {
      held.release = await this.#locks.acquire(key, { signal: held.controller.signal, sizeBytes });
      if (this.#held.has(lockId)) this.#grant({ lockId });
      else void held.release[Symbol.asyncDispose]();
    } catch {
      // Aborted while it waited: nothing is held.
    }
  }

  release(lockId: number): void {
    const held = this.#held.get(lockId);
    this.#held.delete(lockId);
    if (held?.release === undefined) held?.controller.abort();
    else void held.release[Symbol.asyncDispose]();
  }

  releaseAll(): void {
    for (const lockId of this.#held.keys()) this.release(lockId);
  }
}

function openThread(settings: UnpackerSettings, { locks, onWork }: PoolOptions, onExit: () => void): UnpackerThread {
  const held = new ThreadLocks(locks, (granted) => thread.notify(granted));
  const onEvent = (event: UnpackerEvent): void => {
    if (event.kind === 'work') onWork(event.event);
    else if (event.kind === 'acquire') void held.acquire(event);
    else held.release(event.lockId);
  };
  const thread = new WorkerThread<UnpackerJobs>({
    url: workerUrl(import.meta.url, 'worker'),
    name: 'unpacker',
    workerData: settings,
    heapMebibytes: settings.threadHeapMebibytes,
    youngHeapMebibytes,
    endedError: (why) => new TransientError('UnpackerRestarted', `the thread that unpacks bundles ended: ${why}`),
    onEvent: (event) => onEvent(event as UnpackerEvent),
    onExit: () => {
      held.releaseAll();
      onExit();
    },
  });
  return thread;
}

/** Worker threads, started when there is work and replaced when they end; a job goes to the one with the fewest. One without a job ends after a while. */
export class ThreadPool implements AsyncDisposable {
  readonly #settings: UnpackerSettings;
  readonly #options: PoolOptions;
  readonly #threads = new Set<UnpackerThread>();
  /** Until when they stay. */
  readonly #idle = new WeakMap<UnpackerThread, NodeJS.Timeout>();
  #isClosed = false;

  constructor(settings: UnpackerSettings, options: PoolOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** @throws TransientError UnpackerRestarted when the thread ended because of the job, or of another one */
  async run<Kind extends keyof UnpackerJobs>(
    kind: Kind,
    input: UnpackerJobs[Kind]['input'],
    options: JobOptions,
  ): Promise<UnpackerJobs[Kind]['result']> {
    if (this.#isClosed) throw new TransientError('UnpackerClosed', 'the unpacker has been closed');
    const thread = this.#choose();
    clearTimeout(this.#idle.get(thread));
    try {
      return await thread.run(kind, input, options);
    } finally {
      if (thread.jobCount === 0) this.#endLater(thread);
    }
  }

  #endLater(thread: UnpackerThread): void {
    clearTimeout(this.#idle.get(thread));
    const end = (): void => {
      if (thread.jobCount === 0 && thread.isAlive) thread.leave();
    };
    this.#idle.set(thread, setTimeout(end, idleMs).unref());
  }

  #choose(): UnpackerThread {
    const alive = [...this.#threads].filter(({ isAlive }) => isAlive);
    const idlest = alive.sort((a, b) => a.jobCount - b.jobCount)[0];
    const isEnough = idlest !== undefined && (idlest.jobCount === 0 || alive.length >= this.#settings.threads);
    if (isEnough) return idlest;
    const thread = openThread(this.#settings, this.#options, () => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }
}
