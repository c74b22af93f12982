import {
  type Clock,
  errorMessage,
  formatTimestamp,
  type Logger,
  TerminalError,
  TransientError,
  WaitingError,
} from '../src/base/index.ts';
import { backOffMs } from '../src/controller/index.ts';
import type { BundleIdentity } from './unpacker/index.ts';

const firstRetryMs = 500;
const longestRetryMs = 5 * 60_000;
/** One host is not asked for more at a time, and all together not for more than this, as long as they answer. */
const promptPerHost = 8;
const promptInAll = 64;
/** What takes longer than this is slow, and makes nobody wait any more. */
const promptMs = 2_000;
/** So long nobody is told that a Bundle waits for its turn. */
const quietMs = 10_000;
/** Slow ones included. */
const runningInAll = 1_000;

const ended = new Error('the fetch has ended');

/** Why content could not be fetched, and when it is tried again. */
export interface FetchFailure {
  readonly error: TransientError | TerminalError | WaitingError;
  /** Undefined: not before something changes. */
  readonly nextTryMs: number | undefined;
}

/** What is known of fetching a Bundle's content in this process. */
export type FetchState =
  /** It is time to start. */
  | { readonly kind: 'due' }
  /** `quietMs`: how long there is nothing worth telling, unless it turns slow. */
  | { readonly kind: 'running'; readonly quietMs: number }
  /** `isNews`: it was not told before. */
  | ({ readonly kind: 'failed'; readonly isNews: boolean } & FetchFailure);

/** Who may run: queues by host, and how many run. */
class Slots {
  readonly #promptOf = new Map<string, number>();
  readonly #queues = new Map<string, Set<Fetch>>();
  #prompt = 0;
  #running = 0;

  enqueue(fetch: Fetch): void {
    const queue = this.#queues.get(fetch.host) ?? new Set();
    this.#queues.set(fetch.host, queue.add(fetch));
  }

  /** The next that may run, counted as prompt from now on; each host in its turn. */
  take(): Fetch | undefined {
    if (this.#running >= runningInAll || this.#prompt >= promptInAll) return undefined;
    for (const [host, queue] of this.#queues) {
      if ((this.#promptOf.get(host) ?? 0) >= promptPerHost) continue;
      for (const fetch of queue) {
        this.drop(fetch);
        this.#running += 1;
        this.#countPrompt(host, 1);
        fetch.state = 'prompt';
        return fetch;
      }
    }
    return undefined;
  }

  /** Takes it out of the queue; its host stands last then. */
  drop(fetch: Fetch): void {
    const queue = this.#queues.get(fetch.host);
    queue?.delete(fetch);
    this.#queues.delete(fetch.host);
    if (queue !== undefined && queue.size > 0) this.#queues.set(fetch.host, queue);
  }

  becomeSlow(fetch: Fetch): void {
    fetch.state = 'slow';
    this.#countPrompt(fetch.host, -1);
  }

  free(fetch: Fetch): void {
    this.#running -= 1;
    if (fetch.state === 'prompt') this.#countPrompt(fetch.host, -1);
  }

  #countPrompt(host: string, change: number): void {
    this.#prompt += change;
    const count = (this.#promptOf.get(host) ?? 0) + change;
    if (count === 0) this.#promptOf.delete(host);
    else this.#promptOf.set(host, count);
  }
}

interface Fetch {
  readonly bundle: BundleIdentity;
  /** Who is asked; those with the same share a limit. */
  readonly host: string;
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  readonly stop: AbortController;
  readonly ended: PromiseWithResolvers<void>;
  /** When it was asked for. */
  readonly sinceMs: number;
  state: 'queued' | 'prompt' | 'slow';
}

interface Memory extends FetchFailure {
  readonly uid: string;
  readonly failures: number;
  isNews: boolean;
}

export interface FetchesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** A fetch has turned slow, or ended, one way or another. */
  readonly onChange: (bundleName: string) => void;
}

function classed(thrown: unknown): FetchFailure['error'] {
  if (thrown instanceof TerminalError || thrown instanceof TransientError || thrown instanceof WaitingError)
    return thrown;
  return new TransientError('Defect', `source bundle content: ${errorMessage(thrown)}`, { cause: thrown });
}

/** Fetches contents beside the reconciles, so that a source that says nothing occupies no worker: slots are counted by host, and who
 *  is slow loses its slot. Remembers failures of this process: what is final is not tried again until told, the rest backs off from
 *  half a second to five minutes. */
export class Fetches {
  readonly #options: FetchesOptions;
  readonly #fetches = new Map<string, Fetch>();
  readonly #memories = new Map<string, Memory>();
  readonly #slots = new Slots();

  constructor(options: FetchesOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => {
      for (const fetch of this.#fetches.values()) this.#abort(fetch);
    });
  }

  /** What to do for a Bundle now. A wait for somebody else is told once: whoever asks again wants it to be looked at again. */
  stateOf({ name, uid }: BundleIdentity): FetchState {
    const fetch = this.#fetches.get(name);
    if (fetch?.bundle.uid === uid) return { kind: 'running', quietMs: this.#quietMsOf(fetch) };
    const memory = this.#memories.get(name);
    if (memory?.uid !== uid) return { kind: 'due' };
    const { error, nextTryMs } = memory;
    if (error instanceof WaitingError) this.#memories.delete(name);
    else if (nextTryMs !== undefined && nextTryMs <= this.#options.clock.now()) return { kind: 'due' };
    const { isNews } = memory;
    memory.isNews = false;
    return { kind: 'failed', error, nextTryMs, isNews };
  }

  /** Why the last fetch for a Bundle failed, when it did. */
  failureOf({ name, uid }: BundleIdentity): FetchFailure | undefined {
    const memory = this.#memories.get(name);
    return memory?.uid === uid ? memory : undefined;
  }

  /** Has `work` done as soon as there is a slot for its host; the listener is told when it is slow, and when it has ended. */
  start(bundle: BundleIdentity, host: string, work: Fetch['work']): void {
    const { signal, clock } = this.#options;
    if (signal.aborted || this.#fetches.has(bundle.name)) return;
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    const fetch: Fetch = { bundle, host, work, stop, ended, sinceMs: clock.now(), state: 'queued' };
    this.#fetches.set(bundle.name, fetch);
    this.#slots.enqueue(fetch);
    this.#admit();
  }

  /** Something changed that the content depends on: forgets the failure, and what is under way begins anew.
   *  False when nothing was under way or remembered. */
  restart(name: string): boolean {
    const isKnown = this.#memories.delete(name);
    const fetch = this.#fetches.get(name);
    if (fetch === undefined) return isKnown;
    this.#abort(fetch);
    return true;
  }

  /** Ends what is under way for a Bundle, and forgets what was known of it. */
  async cancel(name: string): Promise<void> {
    const fetch = this.#fetches.get(name);
    if (fetch !== undefined) {
      this.#abort(fetch);
      await fetch.ended.promise;
    }
    this.#memories.delete(name);
  }

  /** Resolves when nothing is under way. */
  async whenIdle(): Promise<void> {
    await Promise.all([...this.#fetches.values()].map(({ ended }) => ended.promise));
  }

  #quietMsOf({ state, sinceMs }: Fetch): number {
    return state === 'slow' ? 0 : Math.max(0, sinceMs + quietMs - this.#options.clock.now());
  }

  #abort(fetch: Fetch): void {
    fetch.stop.abort(new Error('begins anew'));
    if (fetch.state !== 'queued') return;
    this.#slots.drop(fetch);
    this.#end(fetch);
  }

  #admit(): void {
    for (let fetch = this.#slots.take(); fetch !== undefined; fetch = this.#slots.take()) void this.#run(fetch);
  }

  async #run(fetch: Fetch): Promise<void> {
    const over = new AbortController();
    this.#options.clock.sleep(promptMs, { signal: over.signal }).then(
      () => {
        this.#slots.becomeSlow(fetch);
        this.#admit();
        this.#options.onChange(fetch.bundle.name);
      },
      () => undefined,
    );
    try {
      await fetch.work(fetch.stop.signal);
      this.#memories.delete(fetch.bundle.name);
    } catch (thrown) {
      if (!fetch.stop.signal.aborted) this.#remember(fetch, thrown);
    } finally {
      over.abort(ended);
      this.#slots.free(fetch);
      this.#end(fetch);
    }
  }

  #remember({ bundle: { name, uid } }: Fetch, thrown: unknown): void {
    const { clock, log } = this.#options;
    const error = classed(thrown);
    if (error !== thrown) log.error({ bundle: name, err: thrown }, 'fetching failed by a defect');
    const before = this.#memories.get(name);
    const failures = (before?.uid === uid ? before.failures : 0) + 1;
    const nextTryMs = error instanceof TerminalError ? undefined : clock.now() + pauseMs(error, failures);
    this.#memories.set(name, { uid, failures, error, nextTryMs, isNews: true });
  }

  #end(fetch: Fetch): void {
    this.#fetches.delete(fetch.bundle.name);
    fetch.ended.resolve();
    this.#admit();
    this.#options.onChange(fetch.bundle.name);
  }
}

/** What comes of a failure, for the person who reads it. */
export function outlookOf({ nextTryMs }: FetchFailure): string {
  if (nextTryMs === undefined)
    return 'not tried again before the Bundle or what it names changes, or Longshore restarts';
  return `next try at ${formatTimestamp(nextTryMs)}`;
}

function pauseMs(error: TransientError | WaitingError, failures: number): number {
  if (error instanceof WaitingError) return error.afterMs;
  const backOff = backOffMs(failures, { minMs: firstRetryMs, maxMs: longestRetryMs });
  return Math.min(longestRetryMs, Math.max(backOff, error.retryAfterMs ?? 0));
}
