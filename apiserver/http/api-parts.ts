import type { Clock, Logger } from '../../src/base/index.ts';
import type { Authenticator, Authorizer, ServiceAccountTokens } from '../auth/index.ts';
import type { ResourceType, TypeRegistry, UserInfo } from '../core/index.ts';
import type { ObjectWriter } from '../registry/index.ts';
import type { Store } from '../storage/index.ts';
import type { Exchange, Reply } from './exchange.ts';
import type { HeldStates } from './held-states.ts';
import type { PodPorts, PortForwardLimits } from './port-forward/index.ts';
import type { ResourceRequest } from './request-info.ts';
import type { TransferLimits } from './transfer-limits.ts';
import type { WatchLimits } from './watch-limits.ts';

/** What every handler is given. */
export interface ApiParts {
  readonly store: Store;
  readonly types: TypeRegistry;
  readonly writer: ObjectWriter;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly tokens: ServiceAccountTokens;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the server stops: ends watches. */
  readonly shutdown: AbortSignal;
  readonly watches: WatchLimits;
  readonly transfers: TransferLimits;
  readonly heldStates: HeldStates;
  readonly podPorts: PodPorts;
  readonly portForwards: PortForwardLimits;
}

/** A request on a resource that exists, by a user who may. */
export interface ResourceCall {
  readonly parts: ApiParts;
  readonly exchange: Exchange;
  readonly request: ResourceRequest;
  readonly type: ResourceType;
  readonly user: UserInfo;
  readonly signal: AbortSignal;
}

/** Answers a verb on a resource; undefined when it has streamed its answer itself. */
export type VerbHandler = (call: ResourceCall) => Promise<Reply | undefined>;
