import { randomInt } from 'node:crypto';
import type { FieldError } from '../../src/schema/index.ts';
import { invalidOptions, parseListNumbers, parseRevision } from './list-options.ts';
import { parameter } from './query-values.ts';
import { isTrue } from './request-info.ts';

/** How a watch runs. */
export interface WatchOptions {
  /** What it begins with: all there is, nothing, or what happened after a revision. */
  readonly start: 'state' | 'now' | number;
  /** All there is must be of this revision or a later one. */
  readonly minimumRevision: number;
  readonly hasBookmarks: boolean;
  /** Whether a bookmark ends the state that it begins with. */
  readonly marksInitialEnd: boolean;
  readonly timeoutMs: number;
}

/** What the query asks for, with what kube-apiserver adds to watches that name no version. */
interface InitialEvents {
  readonly initial: boolean | undefined;
  readonly match: string;
}

function initialEventsOf(query: URLSearchParams): InitialEvents {
  const initial = query.get('sendInitialEvents');
  const match = parameter(query, 'resourceVersionMatch');
  if (initial !== null || match !== '') return { initial: initial === null ? undefined : isTrue(initial), match };
  const version = parameter(query, 'resourceVersion');
  if (version !== '' && version !== '0') return { initial: undefined, match };
  return { initial: true, match: 'NotOlderThan' };
}

function forbidden(why: string): FieldError {
  return { field: 'resourceVersionMatch', reason: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

function matchErrors(query: URLSearchParams, { initial, match }: InitialEvents): FieldError[] {
  const errors: FieldError[] = [];
  if (initial === undefined) {
    errors.push(forbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (match !== 'NotOlderThan') {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`;
    errors.push({ field: 'resourceVersionMatch', reason: 'FieldValueNotSupported', message });
  }
  if (parameter(query, 'continue') !== '') {
    errors.push(forbidden('resourceVersionMatch is forbidden when continue is provided'));
  }
  return errors;
}

function checkInitialEvents(query: URLSearchParams, options: InitialEvents): void {
  const errors: FieldError[] = [];
  if (options.initial !== undefined && options.match !== 'NotOlderThan') {
    errors.push(forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (options.match !== '') errors.push(...matchErrors(query, options));
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
}

/** Whether the options of a watch go together; answers whether it is one that ends its initial state with a bookmark.
 *  @throws StatusError 422 */
export function checkWatchOptions(query: URLSearchParams): boolean {
  const options = initialEventsOf(query);
  checkInitialEvents(query, options);
  return options.initial === true && isTrue(query.get('allowWatchBookmarks'));
}

/** A timer that is set to more ends at once. */
const maxTimerMs = 2 ** 31 - 1;

function startOf(initial: boolean | undefined, revision: number): WatchOptions['start'] {
  if (initial === true) return 'state';
  return revision === 0 ? 'now' : revision;
}

/** Reads the options of a watch that `checkWatchOptions` found good.
 *  @throws StatusError 400, 500 */
export function parseWatchOptions(query: URLSearchParams): WatchOptions {
  const { initial } = initialEventsOf(query);
  const revision = parseRevision(parameter(query, 'resourceVersion'));
  const seconds = parseListNumbers(query).timeoutSeconds;
  const hasBookmarks = isTrue(query.get('allowWatchBookmarks'));
  return {
    start: startOf(initial, revision),
    minimumRevision: revision,
    hasBookmarks,
    marksInitialEnd: initial === true && hasBookmarks,
    timeoutMs: Math.min((seconds > 0 ? seconds : randomInt(1800, 3600)) * 1000, maxTimerMs),
  };
}
