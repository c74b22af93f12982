import {
  formatTimestamp,
  isJsonObject,
  type JsonValue,
  nodeHttp,
  parseJson,
  redactUrl,
  serverText,
  TerminalError,
  TransientError,
} from '../base/index.ts';
import { type HttpRequest, type HttpResponse, readBody } from './http-client.ts';
import { parseRetryAfter } from './retry-after.ts';
import { withoutCredentials } from './sent-credentials.ts';

const maxErrorBytes = 16 * 1024;
const maxShownCharacters = 200;
/** A longer wait is left to a later reconcile, so that it does not occupy a worker. */
const longestWaitInPlaceMs = 1_000;
const maxJitterMs = 10_000;

const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
const lastingReasons: ReadonlyMap<number, string> = new Map([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
]);

/** The error document of a registry as one printable line. */
function registryText(document: JsonValue): string {
  const errors = isJsonObject(document) ? document['errors'] : undefined;
  const first = Array.isArray(errors) ? errors[0] : undefined;
  if (!isJsonObject(first)) return '';
  const { code, message } = first;
  const text = typeof message === 'string' && message !== '' ? message : code;
  if (typeof text !== 'string') return '';
  return serverText(text.replace(/[^\x20-\x7e]+/g, ' '), maxShownCharacters);
}

async function readRegistryText(request: HttpRequest, response: HttpResponse): Promise<string> {
  try {
    const body = await readBody(request, response, maxErrorBytes);
    return registryText(parseJson('error', withoutCredentials(body.toString(), request.headers?.['authorization'])));
  } catch {
    request.signal.throwIfAborted();
    response.body.destroy();
    return '';
  }
}

/** The error for a registry that limits the rate; the wait has jitter, so that clients do not return at once. */
export function rateLimited(what: string, waitMs: number, nowMs: number): TransientError {
  const retryAfterMs = waitMs + Math.random() * Math.min(maxJitterMs, waitMs / 10);
  const text = `${what}: the registry asks to retry after ${formatTimestamp(nowMs + waitMs)}`;
  return new TransientError('RateLimited', text, { retryAfterMs });
}

/** May pass: asks for patience, or has a trouble of its own. */
function passing(text: string, response: HttpResponse, nowMs: number): TransientError {
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], nowMs);
  if (retryAfterMs !== undefined && retryAfterMs > longestWaitInPlaceMs) return rateLimited(text, retryAfterMs, nowMs);
  return new TransientError('ServerUnavailable', text, retryAfterMs === undefined ? {} : { retryAfterMs });
}

function lasting(text: string, status: number, credentials: string): TerminalError {
  const isDenied = status === 401 || status === 403;
  const why = isDenied ? `: credentials are missing or wrong; ${credentials}` : '';
  return new TerminalError(lastingReasons.get(status) ?? 'UnexpectedAnswer', `${text}${why}`);
}

/** What an answer other than 200 means. Final: denied (401, 403), not there (404), and other refusals of the request itself. Everything else may
 *  pass, and so may errors of a storage server behind a redirect: its addresses expire. `credentials` describes which were used. */
export async function refusalOf(
  request: HttpRequest,
  response: HttpResponse,
  options: { readonly nowMs: number; readonly credentials: string },
): Promise<TerminalError | TransientError> {
  const { status } = response;
  const message = await readRegistryText(request, response);
  const what =
    `${request.method} ${redactUrl(request.url)}: ${status} ${nodeHttp().STATUS_CODES[status] ?? ''}`.trimEnd();
  const text = message === '' ? what : `${what} (${message})`;
  if (passingStatuses.has(status) || status >= 500) return passing(text, response, options.nowMs);
  const isElsewhere = new URL(response.url).origin !== new URL(request.url).origin;
  if (status < 400 || isElsewhere) return new TransientError('UnexpectedAnswer', text);
  return lasting(text, status, options.credentials);
}
