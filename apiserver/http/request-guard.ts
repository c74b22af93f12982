import type { UserInfo } from '../core/index.ts';
import type { Exchange, Reply } from './exchange.ts';
import type { RequestInfo } from './request-info.ts';

/** A request that was understood, by a user who may; not answered yet. */
export interface GuardedRequest {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** The same, with the time that the client gives it. */
export interface DelegatedRequest extends GuardedRequest {
  readonly timeoutMs: number;
}

/** Stands before the handlers of requests that come over the network: may answer, refuse or hold up any of them. */
export interface RequestGuard {
  /** `answer` is what would be done without the guard.
   *  @throws StatusError to refuse */
  run(request: GuardedRequest, answer: () => Promise<Reply | undefined>): Promise<Reply | undefined>;
}
