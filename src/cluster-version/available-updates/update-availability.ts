import type { ConditionalUpdate } from '../../api/index.ts';
import { type Clock, type ProxySettings, TransientError } from '../../base/index.ts';
import { createHttpClient } from '../../sources/index.ts';
import type { AvailableRelease, AvailableUpdates } from '../../update-graph/index.ts';
import { type Availability, evaluateUpdates } from './availability.ts';
import { exposureOf } from './exposure.ts';
import type { PromqlEvaluator } from './promql.ts';
import { type Retrieval, retrieveUpdates, type UpdateQuery } from './retrieval.ts';
import { RuleResults } from './rule-results.ts';
import { storageProblem } from './storable.ts';

export interface UpdateAvailabilityOptions {
  readonly clock: Clock;
  /** `product/version`, for the update service. */
  readonly userAgent: string;
  /** Update service that is asked instead of that of the spec. */
  readonly updateService?: string | undefined;
  /** PEM texts of authorities trusted beside those of the system. */
  readonly caPem?: readonly string[];
  readonly proxies?: ProxySettings | undefined;
  /** Evaluates rules of type PromQL; undefined when no Prometheus is configured. */
  readonly promql: PromqlEvaluator | undefined;
  /** How often the update service is asked; two to four minutes, chosen at random, by default. */
  readonly intervalMs?: number;
  /** Called when `sync` answers something else than before: an answer of the service, the result of a rule. */
  readonly onChange: () => void;
}

/** What updates depend on, as the ClusterVersion has it. */
export interface AvailabilityRequest {
  /** `spec.upstream` */
  readonly upstream: string;
  readonly channel: string;
  readonly clusterId: string;
  /** Version that the engine applies. */
  readonly version: string;
  /** As Go names them; `Multi` for a release of several. */
  readonly architecture: { readonly current: string; readonly desired: string };
  readonly acceptedRisks: readonly string[];
  /** `status.conditionalUpdates`, for the times of their conditions. */
  readonly conditionalUpdates: readonly ConditionalUpdate[];
}

/** The parts of the status that are about updates. */
export interface AvailabilityStatus extends Availability {
  /** RetrievedUpdates. */
  readonly condition: { readonly status: 'True' | 'False'; readonly reason: string; readonly message: string };
  /** What the graph knows about the release that runs: its URL and channels. */
  readonly current: AvailableRelease | undefined;
}

/** Answer of `sync`. */
export interface SyncResult {
  /** Undefined until the service has answered for this channel and upstream: the status stays as it is. */
  readonly status: AvailabilityStatus | undefined;
  /** When to call again, unless `onChange` asks for it earlier. */
  readonly requeueAfterMs: number;
}

const defaultService = 'https://api.openshift.com/api/upgrades_info/v1/graph';
const leastIntervalMs = 2 * 60_000;
const maxCacheMs = 24 * 60 * 60_000;
/** With these the service was at fault, and what it answered before stays for a day. */
const retainingReasons: ReadonlySet<string> = new Set(['RemoteFailed', 'ResponseFailed', 'ResponseInvalid']);
const noPrometheus =
  'no Prometheus is configured that could evaluate rules of type PromQL: set --prometheus-url of the controllers';
const none: Availability = { availableUpdates: null, conditionalUpdates: [], conditionalUpdateRisks: [] };

interface Answer {
  readonly key: string;
  readonly retrieval: Retrieval;
  readonly updates: AvailableUpdates | undefined;
  readonly attemptedAtMs: number;
  /** Last answer with updates, or the first after a change of what is asked. */
  readonly changedAtMs: number;
}

function queryOf(request: AvailabilityRequest, updateService: string | undefined): UpdateQuery {
  const { upstream, channel, clusterId, version, architecture } = request;
  const service = updateService ?? (upstream === '' ? defaultService : upstream);
  return { service, clusterId, channel, version, architecture };
}

/** Which updates a cluster may make, asked for periodically. `sync` answers at once with what is known; requests and evaluations run beside it.
 *  @see docs/spec/cluster-version.md#update-availability */
export class UpdateAvailability implements Disposable {
  readonly #options: UpdateAvailabilityOptions;
  readonly #http: ReturnType<typeof createHttpClient>;
  readonly #rules: RuleResults;
  readonly #intervalMs: number;
  #answer: Answer | undefined;
  /** What is being asked, and its end. */
  #asking: { readonly key: string; readonly stop: AbortController } | undefined;

  constructor(options: UpdateAvailabilityOptions) {
    this.#options = options;
    const { caPem = [], proxies, clock, onChange, promql, intervalMs } = options;
    this.#http = createHttpClient({ caPem, proxies, answerDeadlineMs: 60_000 });
    const evaluate = async (query: string, signal: AbortSignal): Promise<boolean> => {
      if (promql === undefined) throw new TransientError('PromqlFailed', noPrometheus);
      return await promql.matches(query, signal);
    };
    this.#rules = new RuleResults({ evaluate, clock, onChange });
    this.#intervalMs = intervalMs ?? leastIntervalMs * (1 + Math.random());
  }

  sync(request: AvailabilityRequest): SyncResult {
    const nowMs = this.#options.clock.now();
    const query = queryOf(request, this.#options.updateService);
    const key = JSON.stringify(query);
    const answer = this.#answer?.key === key ? this.#answer : undefined;
    const dueMs = answer === undefined ? 0 : this.#leftMs(answer, nowMs);
    if (dueMs <= 0 && this.#asking?.key !== key) void this.#ask(query, key);
    const status = answer === undefined ? undefined : this.#statusOf(answer, request, nowMs);
    const evaluationMs = this.#rules.advance();
    const requeueAfterMs = Math.min(dueMs > 0 ? dueMs : this.#intervalMs, evaluationMs ?? this.#intervalMs);
    return { status, requeueAfterMs };
  }

  /** When the service answered with updates; undefined while none are known. */
  get retrievedAtMs(): number | undefined {
    return this.#answer?.updates === undefined ? undefined : this.#answer.changedAtMs;
  }

  [Symbol.dispose](): void {
    this.#stopAsking();
    this.#rules[Symbol.dispose]();
    this.#http[Symbol.dispose]();
  }

  /** How long until the service is asked again. */
  #leftMs({ attemptedAtMs }: Answer, nowMs: number): number {
    // The last answer is in the future if the clock was set back.
    return attemptedAtMs > nowMs ? 0 : attemptedAtMs + this.#intervalMs - nowMs;
  }

  #statusOf({ retrieval, updates }: Answer, request: AvailabilityRequest, nowMs: number): AvailabilityStatus {
    const { status, reason, message } = retrieval;
    const condition = { status, reason, message };
    if (updates === undefined) return { ...none, condition, current: undefined };
    const availability = evaluateUpdates(
      updates,
      (risk) => exposureOf(risk, (promql) => this.#rules.resultOf(promql)),
      { acceptedRisks: new Set(request.acceptedRisks), previous: request.conditionalUpdates, nowMs },
    );
    const problem = storageProblem(availability);
    if (problem === undefined) return { ...availability, condition, current: updates.current };
    const text = `Unable to retrieve available updates: ${problem}`;
    return {
      ...none,
      condition: { status: 'False', reason: 'ResponseInvalid', message: text },
      current: updates.current,
    };
  }

  async #ask(query: UpdateQuery, key: string): Promise<void> {
    const { userAgent, clock, onChange } = this.#options;
    // The answer to a question that has changed meanwhile is of no use.
    this.#stopAsking();
    const asking = { key, stop: new AbortController() };
    this.#asking = asking;
    try {
      const retrieval = await retrieveUpdates(query, this.#http, { userAgent, signal: asking.stop.signal });
      this.#asking = undefined;
      this.#remember(key, retrieval, clock.now());
      onChange();
    } catch (thrown) {
      if (!asking.stop.signal.aborted) throw thrown;
    }
  }

  #stopAsking(): void {
    this.#asking?.stop.abort(new DOMException('the retrieval of updates ends', 'AbortError'));
    this.#asking = undefined;
  }

  #remember(key: string, retrieval: Retrieval, nowMs: number): void {
    const before = this.#answer?.key === key ? this.#answer : undefined;
    const isSuccess = retrieval.status === 'True';
    const changedAtMs = isSuccess || before === undefined ? nowMs : before.changedAtMs;
    const isRetained =
      before !== undefined && retainingReasons.has(retrieval.reason) && nowMs - before.changedAtMs < maxCacheMs;
    const updates = isSuccess ? retrieval.updates : isRetained ? before.updates : undefined;
    this.#answer = { key, retrieval, updates, attemptedAtMs: nowMs, changedAtMs };
  }
}
