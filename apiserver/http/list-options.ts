import type { FieldError } from '../../src/schema/index.ts';
import { badRequest, invalid, StatusError } from '../core/index.ts';
import { parseContinue } from './continue-token.ts';
import { integerParameter, parameter, revisionProblem } from './query-values.ts';

/** Where a list stands: at which revision and from which key it goes on. */
export interface ListPosition {
  /** 0: no limit. */
  readonly limit: number;
  /** Serve exactly this revision. */
  readonly exactRevision: number | undefined;
  /** Serve this revision or a later one. */
  readonly minimumRevision: number;
  /** Keys below this one, inside the namespace of the list, are already served; empty on the first page. */
  readonly startKey: string;
}

/** The 422 of a bad query parameter. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): StatusError {
  return invalid({ group: 'meta.k8s.io', kind }, '', errors);
}

/** Checks `timeoutSeconds` and `limit`, which come before everything else of a list or watch.
 *  @throws StatusError 400 */
export function parseListNumbers(query: URLSearchParams): { readonly timeoutSeconds: number; readonly limit: number } {
  return { timeoutSeconds: integerParameter(query, 'timeoutSeconds'), limit: integerParameter(query, 'limit') };
}

function forbidden(field: string, why: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

function unsupportedMatch(match: string, supported: string): FieldError {
  const message = `Unsupported value: ${JSON.stringify(match)}: supported values: ${supported}`;
  return { field: 'resourceVersionMatch', reason: 'FieldValueNotSupported', message };
}

function matchErrors(query: URLSearchParams, match: string): FieldError[] {
  const field = 'resourceVersionMatch';
  const version = parameter(query, 'resourceVersion');
  const errors: FieldError[] = [];
  if (version === '') {
    errors.push(forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  }
  if (parameter(query, 'continue') !== '') {
    errors.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    errors.push(unsupportedMatch(match, '"Exact", "NotOlderThan", ""'));
  }
  if (match === 'Exact' && version === '0') {
    errors.push(forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

/** Whether the options of a list go together.
 *  @throws StatusError 422 */
export function checkListOptions(query: URLSearchParams): void {
  const match = parameter(query, 'resourceVersionMatch');
  const errors = match === '' ? [] : matchErrors(query, match);
  if (query.get('sendInitialEvents') !== null) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
}

/** Reads the resourceVersion of a list.
 *  @throws StatusError 400 */
function parseListRevision(version: string): number {
  const problem = revisionProblem(version);
  if (problem !== undefined) throw badRequest(`invalid resource version: ${problem}`);
  return Number(version);
}

/** Reads the resourceVersion of a get or a watch.
 *  @throws StatusError 500, as kube-apiserver has it */
export function parseRevision(version: string): number {
  const problem = revisionProblem(version);
  if (problem !== undefined) throw new StatusError({ code: 500, message: problem });
  return Number(version);
}

function continuedPosition(token: string, version: string, limit: number): ListPosition {
  const { revision, startKey } = parseContinue(token);
  if (version !== '' && version !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return { limit, exactRevision: revision, minimumRevision: 0, startKey };
}

/** Reads limit, continue, resourceVersion and resourceVersionMatch of a list. `isCached`: the kind is one of those that kube-apiserver lists from its
 *  cache, where version 0 means all of it, whatever the limit.
 *  @throws StatusError 400 */
export function parseListPosition(query: URLSearchParams, isCached: boolean): ListPosition {
  const limit = Math.max(0, integerParameter(query, 'limit'));
  const version = parameter(query, 'resourceVersion');
  const token = parameter(query, 'continue');
  if (token !== '') return continuedPosition(token, version, limit);
  const revision = parseListRevision(version);
  const match = parameter(query, 'resourceVersionMatch');
  const isExact = match === 'Exact' || (match === '' && limit > 0 && revision > 0);
  return {
    limit: isCached && version === '0' ? 0 : limit,
    exactRevision: isExact ? revision : undefined,
    minimumRevision: revision,
    startKey: '',
  };
}

/** 504 that asks a client to retry: it has seen a revision that does not exist here yet. */
export function tooLargeVersion(requested: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${BigInt(requested)}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

/** kube-apiserver's error for a list at exactly a revision that does not exist yet. */
export function futureRevision(): StatusError {
  return new StatusError({ code: 500, message: 'etcdserver: mvcc: required revision is a future revision' });
}
