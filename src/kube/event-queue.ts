import { type Clock, errorMessage, type Logger } from '../base/index.ts';
import { isKubeError } from './kube-error.ts';

/** What is written of one key. */
interface Waiting<Item> {
  item: Item;
  /** How often it was added since it was last written. */
  times: number;
  /** How often it could not be written. */
  failures: number;
}

interface QueueOptions<Item> {
  readonly write: (key: string, item: Item, times: number) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** More would take connections from what the Events are about. */
const maxParallel = 4;
const maxWaiting = 4096;
/** Pauses before a write is tried again that the API server could not do: together longer than one of its restarts. */
const retryPausesMs: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** No connection, overload, a failure within the API server, and what proxies answer. */
const passingStatuses: readonly number[] = [0, 408, 429, 500, 502, 503, 504];
/** The object is being deleted with its namespace, which takes no Events any more. */
const expectedStatuses: readonly number[] = [403, 404];

function statusOf(thrown: unknown): number | undefined {
  return isKubeError(thrown) ? thrown.failure.status : undefined;
}

/** Writes what is added in the background: several keys at a time, one key never twice. What cannot be written is tried again later and holds nothing up.
 *  What is added again before it was written is written once. */
export class EventQueue<Item> {
  readonly #options: QueueOptions<Item>;
  /** Oldest first. */
  readonly #ready = new Map<string, Waiting<Item>>();
  readonly #writing = new Set<string>();
  /** Until the next attempt. */
  readonly #paused = new Map<string, Waiting<Item>>();
  #dropped = 0;

  constructor(options: QueueOptions<Item>) {
    this.#options = options;
  }

  add(key: string, item: Item): void {
    const known = this.#paused.get(key) ?? this.#ready.get(key);
    if (known !== undefined) {
      known.times += 1;
      known.item = item;
      return;
    }
    this.#ready.set(key, { item, times: 1, failures: 0 });
    this.#limit();
    this.#writeNext();
  }

  #limit(): void {
    if (this.#ready.size + this.#paused.size <= maxWaiting) return;
    const oldest = this.#ready.keys().next();
    if (oldest.done === true) return;
    this.#ready.delete(oldest.value);
    this.#dropped += 1;
    if (this.#dropped === 1)
      this.#options.log.warn({ waiting: maxWaiting }, 'too many events wait: the oldest are dropped');
  }

  #writeNext(): void {
    for (const [key, waiting] of this.#ready) {
      if (this.#writing.size >= maxParallel || this.#options.signal.aborted) return;
      if (this.#writing.has(key)) continue;
      this.#ready.delete(key);
      this.#writing.add(key);
      void this.#write(key, waiting);
    }
    if (this.#ready.size === 0) this.#reportDropped();
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#options.log.warn({ dropped: this.#dropped }, 'events were dropped');
    this.#dropped = 0;
  }

  async #write(key: string, waiting: Waiting<Item>): Promise<void> {
    const { write, log, signal } = this.#options;
    try {
      await write(key, waiting.item, waiting.times);
    } catch (thrown) {
      const status = statusOf(thrown) ?? -1;
      const pauseMs = passingStatuses.includes(status) ? retryPausesMs[waiting.failures] : undefined;
      if (pauseMs !== undefined) void this.#retry(key, waiting, pauseMs);
      else if (!signal.aborted) {
        const why = errorMessage(thrown);
        log[expectedStatuses.includes(status) ? 'debug' : 'warn']({ why }, 'event not written');
      }
    }
    this.#writing.delete(key);
    this.#writeNext();
  }

  async #retry(key: string, { item, times, failures }: Waiting<Item>, pauseMs: number): Promise<void> {
    const { clock, signal } = this.#options;
    const later = this.#ready.get(key);
    this.#ready.delete(key);
    const waiting = { item: later?.item ?? item, times: times + (later?.times ?? 0), failures: failures + 1 };
    this.#paused.set(key, waiting);
    try {
      await clock.sleep(pauseMs, { signal });
    } catch {
      // All work ends.
      return;
    }
    this.#paused.delete(key);
    this.#ready.set(key, waiting);
    this.#writeNext();
  }
}
