import { isJsonObject, TerminalError, TransientError } from '../base/index.ts';

export interface KubeCause {
  readonly field: string;
  readonly message: string;
  readonly reason: string;
}

/** The server's message with the refusal. */
export interface KubeFailure {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The server's machine-readable reason, for instance `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`. */
  readonly reason: string;
  /** The server's own message, without values of a Secret. */
  readonly message: string;
  readonly causes: readonly KubeCause[];
  /** False when the answer was no Status object: the path itself is unknown to the server. */
  readonly isStatus: boolean;
}

/** The server refuses this request whenever it is sent (400, 405, 406, 409 AlreadyExists, 413, 415, 422). */
export class KubeRejection extends TerminalError {
  readonly failure: KubeFailure;
  constructor(failure: KubeFailure, options?: { readonly cause?: unknown }) {
    super(failure.reason, failure.message, options);
    this.failure = failure;
  }
}

/** The same request may pass later: no connection, overload, stale resourceVersion, something missing or not allowed yet. */
export class KubeUnavailable extends TransientError {
  readonly failure: KubeFailure;
  constructor(failure: KubeFailure, options?: { readonly cause?: unknown; readonly retryAfterMs?: number }) {
    super(failure.reason, failure.message, options);
    this.failure = failure;
  }
}

export type KubeError = KubeRejection | KubeUnavailable;

/** The kind is not served (yet). Message: `no matches for kind "X" in version "V"`. */
export class NoKindMatch extends TransientError {
  readonly apiVersion: string;
  readonly kind: string;
  constructor(apiVersion: string, kind: string) {
    super('NoKindMatch', `no matches for kind "${kind}" in version "${apiVersion}"`);
    this.apiVersion = apiVersion;
    this.kind = kind;
  }
}

export function isKubeError(thrown: unknown): thrown is KubeError {
  return thrown instanceof KubeRejection || thrown instanceof KubeUnavailable;
}

/** Whether the server reported that the object, or its kind, does not exist. */
export function isNotFound(thrown: unknown): boolean {
  return isKubeError(thrown) && thrown.failure.status === 404;
}

/** Whether the user is not allowed to do it. */
export function isForbidden(thrown: unknown): boolean {
  return isKubeError(thrown) && thrown.failure.status === 403 && thrown.failure.reason === 'Forbidden';
}

/** Whether an object of that name exists already. */
export function isAlreadyExists(thrown: unknown): boolean {
  return isKubeError(thrown) && thrown.failure.reason === 'AlreadyExists';
}

/** Whether a precondition or another field manager stood against the write. */
export function isConflict(thrown: unknown): boolean {
  return isKubeError(thrown) && thrown.failure.status === 409 && thrown.failure.reason !== 'AlreadyExists';
}

/** Whether a PodDisruptionBudget does not allow an eviction: sending it again at once does not help. */
export function isBudgetRefusal(thrown: unknown): boolean {
  return (
    isKubeError(thrown) &&
    thrown.failure.status === 429 &&
    thrown.failure.causes.some(({ reason }) => reason === 'DisruptionBudget')
  );
}

/** Whether a patch names an object by its uid, and another object has the name now. */
export function isOtherObject(thrown: unknown): boolean {
  return isKubeError(thrown) && thrown.failure.causes.some(({ field }) => field === 'metadata.uid');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function causesOf(details: unknown): KubeCause[] {
  if (!isJsonObject(details) || !Array.isArray(details['causes'])) return [];
  return details['causes'].filter(isJsonObject).map((cause) => ({
    field: textOf(cause['field']),
    message: textOf(cause['message']),
    reason: textOf(cause['reason']),
  }));
}

function isTransient(status: number, reason: string): boolean {
  if (status === 409) return reason !== 'AlreadyExists';
  return [0, 401, 403, 404, 408, 410, 429].includes(status) || status >= 500;
}

const secretPath = /^\/api\/v1\/namespaces\/[^/]+\/secrets(?:[/?]|$)/;
/** In the message about a field with a value of another type, up to the next field. */
const wrongValue = /, got &[^]*?(?=\n {2}\.|$)/g;

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Of the request. */
  readonly path?: string;
}

/** What the server wrote. A password that an author has not put into quotes is a number: it must not be in conditions, Events and logs. */
function messageOf(what: string, { status, body, path = '' }: Answer): string {
  const text = isJsonObject(body) && body['kind'] === 'Status' ? textOf(body['message']) : '';
  if (text === '') return `${what}: the server answered ${status}`;
  return secretPath.test(path) ? text.replace(wrongValue, ', got a value of another type') : text;
}

/** The error for an answer with an HTTP status of 400 or more. `what` names the request where the server sent no text. */
export function kubeErrorOf(what: string, answer: Answer): KubeError {
  const { status, body } = answer;
  const isStatus = isJsonObject(body) && body['kind'] === 'Status';
  const given = isStatus ? body['reason'] : undefined;
  const reason = typeof given === 'string' && /^[A-Za-z]+$/.test(given) ? given : `Http${status}`;
  const message = messageOf(what, answer);
  const causes = isStatus ? causesOf(body['details']) : [];
  const failure: KubeFailure = { status, reason, message, causes, isStatus };
  return isTransient(status, reason) ? new KubeUnavailable(failure) : new KubeRejection(failure);
}
