import { type Clock, errorMessage } from '../../base/index.ts';

/** What a rule answers as far as it is known. */
export type RuleResult = { readonly isMatch: boolean } | { readonly problem: string };

interface Entry {
  readonly query: string;
  /** The order in which rules were first requested. */
  readonly turn: number;
  result?: RuleResult;
  evaluatedAtMs?: number;
  requestedAtMs: number;
  isRunning: boolean;
}

export interface RuleResultsOptions {
  /** @throws when the rule cannot be evaluated */
  readonly evaluate: (query: string, signal: AbortSignal) => Promise<boolean>;
  readonly clock: Clock;
  /** Called when a result has changed. */
  readonly onChange: () => void;
}

const spacingMs = 1000;
const maxRunning = 4;
const freshMs = 60 * 60_000;
/** A failure is no answer: it is tried again earlier. */
const failureFreshMs = 5 * 60_000;
const expiryMs = 24 * 60 * 60_000;
const maxEntries = 2000;

/** `15:04:05Z`, in UTC. */
function timeOfDay(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(11, 19)}Z`;
}

/** Results of rules that a server evaluates, cached and throttled: one evaluation begins per second, of the rule that is most stale; a result is good for
 *  an hour, a failure for five minutes. Evaluations run beside each other, four at most, so that one without an answer does not delay the others.
 *  @see docs/spec/cluster-version.md#risks */
export class RuleResults implements Disposable {
  readonly #options: RuleResultsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #stop = new AbortController();
  #lastStartMs = Number.NEGATIVE_INFINITY;
  #running = 0;
  #turns = 0;

  constructor(options: RuleResultsOptions) {
    this.#options = options;
  }

  /** The result of a rule as far as it is known, and a request to evaluate it. */
  resultOf(query: string): RuleResult {
    const nowMs = this.#options.clock.now();
    const entry = this.#entries.get(query) ?? { query, turn: this.#turns++, requestedAtMs: nowMs, isRunning: false };
    entry.requestedAtMs = nowMs;
    this.#entries.set(query, entry);
    if (entry.result !== undefined) return entry.result;
    if (entry.isRunning) return { problem: 'evaluation has not finished' };
    const freeAtMs = this.#lastStartMs + spacingMs;
    return { problem: `evaluation is throttled${freeAtMs > nowMs ? ` until ${timeOfDay(freeAtMs)}` : ''}` };
  }

  /** Begins the evaluation that is due. Milliseconds until the next one may begin; undefined when none is due, or too many run. */
  advance(): number | undefined {
    const nowMs = this.#options.clock.now();
    this.#expire(nowMs);
    // The clock was set back.
    if (nowMs < this.#lastStartMs) this.#lastStartMs = Number.NEGATIVE_INFINITY;
    if (this.#running >= maxRunning || this.#stop.signal.aborted) return undefined;
    const [first, second] = this.#due(nowMs);
    if (first === undefined) return undefined;
    const leftMs = this.#lastStartMs + spacingMs - nowMs;
    if (leftMs > 0) return leftMs;
    this.#lastStartMs = nowMs;
    void this.#evaluate(first);
    return second === undefined ? undefined : spacingMs;
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new DOMException('the evaluation of risks ends', 'AbortError'));
  }

  /** Those that are requested and stale, the most stale first. */
  #due(nowMs: number): Entry[] {
    const isDue = ({ evaluatedAtMs, requestedAtMs, result, isRunning }: Entry): boolean => {
      if (isRunning) return false;
      if (evaluatedAtMs === undefined || result === undefined) return true;
      if (evaluatedAtMs > nowMs) return true;
      return requestedAtMs > evaluatedAtMs && nowMs - evaluatedAtMs >= ('problem' in result ? failureFreshMs : freshMs);
    };
    const age = ({ evaluatedAtMs = Number.NEGATIVE_INFINITY }: Entry): number => evaluatedAtMs;
    const due = [...this.#entries.values()].filter(isDue);
    return due.toSorted((a, b) => (age(a) === age(b) ? a.turn - b.turn : age(a) - age(b)));
  }

  #expire(nowMs: number): void {
    const latestMs = Math.max(...[...this.#entries.values()].map(({ requestedAtMs }) => requestedAtMs));
    const isFull = this.#entries.size > maxEntries;
    for (const [query, { requestedAtMs, isRunning }] of this.#entries) {
      const isOld = nowMs - requestedAtMs > expiryMs || (isFull && requestedAtMs < latestMs);
      if (isOld && !isRunning) this.#entries.delete(query);
    }
  }

  async #evaluate(entry: Entry): Promise<void> {
    const { evaluate, clock, onChange } = this.#options;
    entry.isRunning = true;
    this.#running += 1;
    try {
      entry.result = { isMatch: await evaluate(entry.query, this.#stop.signal) };
    } catch (thrown) {
      entry.result = { problem: errorMessage(thrown) };
    }
    entry.isRunning = false;
    entry.evaluatedAtMs = clock.now();
    this.#running -= 1;
    if (!this.#stop.signal.aborted) onChange();
  }
}
