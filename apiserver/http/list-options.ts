import { isJsonObject, parseJson, TerminalError } from '../../src/base/index.ts';
import { badRequest, type FieldError, invalid, StatusError } from './status-error.ts';

/** Where a list stands: at which revision and after which key it goes on. */
export interface ListPosition {
  readonly limit: number;
  /** Serve exactly this revision. */
  readonly exactRevision: number | undefined;
  /** Serve this revision or a later one. */
  readonly minimumRevision: number;
  /** Keys up to and including this one are already served. */
  readonly afterKey: string | undefined;
}

/** The 422 of a bad query parameter. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): StatusError {
  return invalid({ group: 'meta.k8s.io', kind }, '', errors);
}

function parseNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name);
  if (text === null || text === '') return 0;
  if (!/^-?\d{1,15}$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/** @throws StatusError 400 when it is no number */
export function parseRevision(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`invalid resource version: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
}

export function parseTimeoutSeconds(query: URLSearchParams): number {
  return parseNumber(query, 'timeoutSeconds');
}

/** A token that continues a list at `revision` after `afterKey`. */
export function formatContinue(revision: number, afterKey: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: afterKey })).toString('base64url');
}

function parseContinue(token: string): { readonly revision: number; readonly afterKey: string } {
  try {
    const value = parseJson('continue', Buffer.from(token, 'base64url').toString('utf8'));
    if (!isJsonObject(value)) throw new TerminalError('InvalidContinue', 'not an object');
    const { rv, start } = value;
    if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || typeof start !== 'string') {
      throw new TerminalError('InvalidContinue', 'fields are missing');
    }
    return { revision: rv, afterKey: start };
  } catch (thrown) {
    throw badRequest('invalid continue token: continue key is not valid: encoding is not valid', thrown);
  }
}

function forbiddenMatch(why: string): FieldError {
  return { field: 'resourceVersionMatch', reason: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

/** A query parameter; empty when absent. */
export function parameter(query: URLSearchParams, name: string): string {
  return query.get(name) ?? '';
}

function matchErrors(query: URLSearchParams, match: string): FieldError[] {
  const version = parameter(query, 'resourceVersion');
  const errors: FieldError[] = [];
  if (version === '')
    errors.push(forbiddenMatch('resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (parameter(query, 'continue') !== '') {
    errors.push(forbiddenMatch('resourceVersionMatch is forbidden when continue is provided'));
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`;
    errors.push({ field: 'resourceVersionMatch', reason: 'FieldValueNotSupported', message });
  }
  if (match === 'Exact' && version === '0') {
    errors.push(forbiddenMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

function checkMatch(query: URLSearchParams): void {
  const match = parameter(query, 'resourceVersionMatch');
  if (query.get('sendInitialEvents') !== null) {
    const message = 'Forbidden: sendInitialEvents is forbidden for list';
    throw invalidOptions('ListOptions', [{ field: 'sendInitialEvents', reason: 'FieldValueForbidden', message }]);
  }
  const errors = match === '' ? [] : matchErrors(query, match);
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
}

/** Where a list goes on; a negative revision in the token asks for the rest at the latest one. */
function continuedPosition(token: string, version: string, limit: number): ListPosition {
  if (version !== '' && version !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const { revision, afterKey } = parseContinue(token);
  return { limit, exactRevision: revision > 0 ? revision : undefined, minimumRevision: 0, afterKey };
}

/** Reads limit, continue, resourceVersion and resourceVersionMatch of a list.
 *  @throws StatusError 400, 422 */
export function parseListPosition(query: URLSearchParams): ListPosition {
  checkMatch(query);
  const limit = Math.max(0, parseNumber(query, 'limit'));
  const version = parameter(query, 'resourceVersion');
  const token = parameter(query, 'continue');
  if (token !== '') return continuedPosition(token, version, limit);
  const revision = version === '' ? 0 : parseRevision(version);
  const match = parameter(query, 'resourceVersionMatch');
  const isExact = match === 'Exact' || (match === '' && limit > 0 && revision > 0);
  return { limit, exactRevision: isExact ? revision : undefined, minimumRevision: revision, afterKey: undefined };
}

/** 504 that tells a client to come back: it has seen a revision that is not there yet. */
export function tooLargeVersion(wanted: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}
