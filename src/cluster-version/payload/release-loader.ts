import { type Clock, errorMessage, type Logger } from '../../base/index.ts';
import {
  type LoadedRelease,
  type LoadRequest,
  type LoadTerms,
  loadRelease,
  type RejectionReason,
  ReleaseRejected,
} from './load-release.ts';

/** Where the loading of the requested release stands. */
export type LoadState =
  | { readonly kind: 'accepted'; readonly release: LoadedRelease }
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'rejected';
      readonly reason: RejectionReason;
      readonly message: string;
      readonly retryAtMs: number;
    };

interface Options {
  readonly terms: LoadTerms;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the state has changed. */
  readonly onChange: () => void;
  readonly signal: AbortSignal;
}

const firstRetryMs = 15_000;
const maxRetryMs = 240_000;

function keyOf({ target, verification }: LoadRequest): string {
  return JSON.stringify([target.image, target.version, target.isForced, verification.stores]);
}

/** Loads one release at a time, beside the reconciles. A rejected one is tried again after a back-off, and at once when the request changes. */
export class ReleaseLoader {
  readonly #options: Options;
  #key = '';
  #state: LoadState | undefined;
  #failures = 0;
  #current = new AbortController();

  constructor(options: Options) {
    this.#options = options;
  }

  /** The state of a request; begins or repeats it when it is due. */
  request(request: LoadRequest): LoadState {
    const key = keyOf(request);
    if (key !== this.#key) {
      this.#key = key;
      this.#failures = 0;
      return this.#begin(request);
    }
    const state = this.#state;
    const isDue = state?.kind === 'rejected' && this.#isDue(state.retryAtMs);
    return state === undefined || isDue ? this.#begin(request) : state;
  }

  #isDue(retryAtMs: number): boolean {
    const leftMs = retryAtMs - this.#options.clock.now();
    // More than the longest pause is left if the clock was set back.
    return leftMs <= 0 || leftMs > maxRetryMs;
  }

  /** Nothing is requested any more. */
  forget(): void {
    if (this.#key === '') return;
    this.#key = '';
    this.#state = undefined;
    this.#current.abort(new Error('the release is not requested any more'));
  }

  #begin(request: LoadRequest): LoadState {
    this.#current.abort(new Error('another release is requested'));
    this.#current = new AbortController();
    const signal = AbortSignal.any([this.#current.signal, this.#options.signal]);
    this.#state = { kind: 'loading' };
    void this.#load(request, signal);
    return this.#state;
  }

  async #load(request: LoadRequest, signal: AbortSignal): Promise<void> {
    const { terms, onChange } = this.#options;
    let next: LoadState;
    try {
      next = { kind: 'accepted', release: await loadRelease(request, terms, signal) };
    } catch (thrown) {
      if (signal.aborted) return;
      next = this.#rejected(thrown);
    }
    if (signal.aborted) return;
    this.#state = next;
    onChange();
  }

  #rejected(thrown: unknown): LoadState {
    const { log, clock } = this.#options;
    const retryMs = Math.min(maxRetryMs, firstRetryMs * 2 ** this.#failures);
    this.#failures += 1;
    const retryAtMs = clock.now() + retryMs;
    const message = errorMessage(thrown);
    const isRejection = thrown instanceof ReleaseRejected;
    if (!isRejection) log.error({ message, stack: thrown instanceof Error ? thrown.stack : '' }, 'release not loaded');
    return { kind: 'rejected', reason: isRejection ? thrown.reason : 'LoadPayload', message, retryAtMs };
  }
}
