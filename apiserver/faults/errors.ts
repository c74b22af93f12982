import { alreadyExists, conflict, internalError, notFound, StatusError } from '../core/index.ts';
import type { RequestInfo, ResourceRequest } from '../http/index.ts';

/** An answer to give instead of the real one; defaults are those of kube-apiserver for this code. */
export interface FaultError {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  /** Sent as `Retry-After` too. */
  readonly retryAfterSeconds?: number;
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again';
const staleContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';

interface Known {
  readonly reason: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

const known: ReadonlyMap<number, Known> = new Map([
  [401, { reason: 'Unauthorized', message: 'Unauthorized' }],
  [403, { reason: 'Forbidden', message: 'forbidden' }],
  [429, { reason: 'TooManyRequests', message: 'Too many requests, please try again later.', retryAfterSeconds: 1 }],
  [503, { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' }],
  [504, { reason: 'Timeout', message: 'Timeout: request did not complete within the allotted timeout' }],
]);

function conflictOf(info: Target): StatusError {
  return info.verb === 'create' ? alreadyExists(info, info.name) : conflict(info, info.name, modified);
}

function expired({ verb }: Target): StatusError {
  const message = verb === 'list' ? staleContinue : 'too old resource version: 1 (2)';
  return new StatusError({ code: 410, reason: 'Expired', message });
}

type Target = Pick<ResourceRequest, 'group' | 'plural' | 'name' | 'verb'>;

const special: ReadonlyMap<number, (target: Target) => StatusError> = new Map([
  [404, (target) => notFound(target, target.name)],
  [409, conflictOf],
  [410, expired],
  [500, () => internalError('fault on demand')],
]);

function usualError(code: number, info: RequestInfo): StatusError {
  const target = info.kind === 'resource' ? info : { group: '', plural: '', name: '', verb: '' };
  const make = special.get(code);
  if (make !== undefined) return make(target);
  const { reason, message, retryAfterSeconds } = known.get(code) ?? { reason: '', message: 'fault on demand' };
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return new StatusError({ code, reason, message, ...details });
}

/** The error that a fault answers a request with. */
export function faultError(error: number | FaultError, info: RequestInfo): StatusError {
  if (typeof error === 'number') return usualError(error, info);
  const { failure } = usualError(error.code, info);
  const { reason = failure.reason, message = failure.message, retryAfterSeconds } = error;
  const seconds = retryAfterSeconds ?? failure.details?.retryAfterSeconds;
  const details = seconds === undefined ? failure.details : { ...failure.details, retryAfterSeconds: seconds };
  return new StatusError({ code: error.code, reason, message, details });
}
