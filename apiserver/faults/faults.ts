import type { Clock } from '../../src/base/index.ts';
import { type GuardedRequest, type HttpResponse, type Reply, type RequestGuard, wholeBody } from '../http/index.ts';
import { type FaultError, faultError } from './errors.ts';
import { isMatch, type RequestMatch } from './match.ts';

/** What happens to which requests. Without `delayMs`, `error` and `drop` matching requests are only counted. */
export interface FaultOptions extends RequestMatch {
  /** Lets that many matching requests pass first. */
  readonly skip?: number;
  /** Goes away after that many requests. Default: stays until it is removed. */
  readonly times?: number;
  /** Meets only this share of the matching requests, by chance: 0.1 is every tenth. Default 1. */
  readonly share?: number;
  /** The chance behind `share`: numbers from 0, below 1. Default `Math.random`; give a seeded one to get the same again. */
  readonly random?: () => number;
  /** Holds the request up, before anything else. */
  readonly delayMs?: number;
  /** Answers with this instead. A number gets the reason and words of kube-apiserver: 409 is a write conflict (of a create: the name
   *  is taken), 410 an expired version (a watch starts and ends with an ERROR event), 429 carries `Retry-After: 1`. */
  readonly error?: number | FaultError;
  /** Cuts the connection: `before` anything is done, `after` it is done, so that only the answer is lost, or in the middle of the answer's body. */
  readonly drop?: 'before' | 'after' | 'midway';
}

/** A fault that is in place. */
export interface Fault extends Disposable {
  /** How many requests met it. */
  readonly hits: number;
  remove(): void;
}

class ActiveFault implements Fault {
  readonly options: FaultOptions;
  readonly #leave: () => void;
  #seen = 0;

  constructor(options: FaultOptions, leave: () => void) {
    this.options = options;
    this.#leave = leave;
  }

  get hits(): number {
    return Math.max(0, this.#seen - (this.options.skip ?? 0));
  }

  /** Counts a matching request; whether it meets the fault. */
  take(): boolean {
    const { share = 1, random = Math.random } = this.options;
    if (share < 1 && random() >= share) return false;
    this.#seen += 1;
    if (this.hits >= (this.options.times ?? Number.POSITIVE_INFINITY)) this.#leave();
    return this.hits > 0;
  }

  remove(): void {
    this.#leave();
  }

  [Symbol.dispose](): void {
    this.#leave();
  }
}

/** Promises the whole body and sends the first half of it. */
async function sendHalf(response: HttpResponse, reply: Reply): Promise<void> {
  const body = wholeBody(reply.body);
  response.writeHead(reply.code, {
    'content-length': body.length,
    ...(reply.contentType === undefined ? {} : { 'content-type': reply.contentType }),
  });
  const half = body.subarray(0, Math.floor(body.length / 2));
  await new Promise<void>((resolve) => response.write(half, () => resolve()));
}

/** Cuts the connection. */
async function cutOff(
  { exchange, info }: GuardedRequest,
  drop: 'before' | 'after' | 'midway',
  answer: () => Promise<Reply | undefined>,
): Promise<undefined> {
  // A watch has no end to lose: it is cut before it begins.
  const reply = drop === 'before' || info.verb === 'watch' ? undefined : await answer();
  if (drop === 'midway' && reply !== undefined) await sendHalf(exchange.response, reply);
  exchange.response.destroy();
  return undefined;
}

/** The faults of one server; all methods take effect at once. */
export class Faults implements RequestGuard {
  readonly #clock: Clock;
  readonly #active = new Set<ActiveFault>();
  readonly #watches = new Set<GuardedRequest>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Puts a fault in place; a request meets the first that matches, in the order they were added. */
  add(options: FaultOptions): Fault {
    const fault: ActiveFault = new ActiveFault(options, () => this.#active.delete(fault));
    this.#active.add(fault);
    return fault;
  }

  /** Removes all faults. */
  clear(): void {
    this.#active.clear();
  }

  /** Ends watches that are open now, as a load balancer or a restart does; gives how many. With `error` (410: the client has to list
   *  again) they end with an ERROR event. Clients may watch again at once. */
  endWatches(match: RequestMatch & { readonly error?: number | FaultError } = {}): number {
    const { error, ...expected } = match;
    const ended = [...this.#watches].filter((watch) => isMatch(expected, { ...watch, query: watch.exchange.query }));
    for (const { exchange, info } of ended) {
      exchange.interrupt(error === undefined ? undefined : faultError(error, info));
    }
    return ended.length;
  }

  async run(request: GuardedRequest, answer: () => Promise<Reply | undefined>): Promise<Reply | undefined> {
    const isWatch = request.info.kind === 'resource' && request.info.verb === 'watch';
    if (isWatch) this.#watches.add(request);
    try {
      const fault = this.#faultOf(request);
      return fault === undefined ? await answer() : await this.#apply(fault, request, answer);
    } finally {
      if (isWatch) this.#watches.delete(request);
    }
  }

  #faultOf(request: GuardedRequest): FaultOptions | undefined {
    for (const fault of this.#active) {
      if (isMatch(fault.options, { ...request, query: request.exchange.query }) && fault.take()) return fault.options;
    }
    return undefined;
  }

  async #apply(
    fault: FaultOptions,
    request: GuardedRequest,
    answer: () => Promise<Reply | undefined>,
  ): Promise<Reply | undefined> {
    const { exchange, info, signal } = request;
    const { delayMs = 0, error, drop } = fault;
    if (delayMs > 0) await this.#clock.sleep(delayMs, { signal });
    if (error !== undefined) {
      const status = faultError(error, info);
      const isExpiredWatch = status.failure.code === 410 && info.verb === 'watch';
      if (!isExpiredWatch) throw status;
      exchange.interrupt(status);
    }
    return drop === undefined ? await answer() : await cutOff(request, drop, answer);
  }
}
