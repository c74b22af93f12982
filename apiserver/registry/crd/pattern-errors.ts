import { type JsonObject, textAt } from '../../../src/base/index.ts';
import { type FieldError, invalidField, patternProblem } from '../../../src/schema/index.ts';

/** The error of a node's `pattern`. */
export function patternErrors(node: JsonObject, path: string): FieldError[] {
  const pattern = textAt(node, 'pattern');
  const problem = pattern === '' ? undefined : patternProblem(pattern);
  if (problem === undefined) return [];
  return [invalidField(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`)];
}
