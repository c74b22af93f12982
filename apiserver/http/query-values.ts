import { badRequest } from '../core/index.ts';

const largestInt64 = 2n ** 63n - 1n;
const largestUint64 = 2n ** 64n - 1n;

/** A query parameter; empty when absent. */
export function parameter(query: URLSearchParams, name: string): string {
  return query.get(name) ?? '';
}

/** Why Go would not read `text` as a whole number; undefined when it would. */
function numberProblem(text: string, kind: 'Int' | 'Uint'): string | undefined {
  const pattern = kind === 'Int' ? /^[+-]?\d+$/ : /^\d+$/;
  const problem = (why: string): string => `strconv.Parse${kind}: parsing ${JSON.stringify(text)}: ${why}`;
  if (!pattern.test(text)) return problem('invalid syntax');
  if (text.length < 19) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  const isInside = kind === 'Uint' ? value <= largestUint64 : value <= largestInt64 && value >= -largestInt64 - 1n;
  return isInside ? undefined : problem('value out of range');
}

/** A whole number; 0 when the parameter is absent.
 *  @throws StatusError 400 */
export function integerParameter(query: URLSearchParams, name: string): number {
  const text = query.get(name);
  if (text === null) return 0;
  const problem = numberProblem(text, 'Int');
  if (problem !== undefined) throw badRequest(problem);
  return Number(text);
}

/** What is wrong with a resourceVersion, as the storage layer reports it; undefined for a good one, 0 and the empty one included. */
export function revisionProblem(text: string): string | undefined {
  const problem = text === '' ? undefined : numberProblem(text, 'Uint');
  return problem === undefined ? undefined : `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`;
}
