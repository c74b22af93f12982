import { type JsonObject, objectsAt, textAt } from '../../../src/base/index.ts';
import { patternsOf } from '../../../src/cel/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidField,
  maxPatternWork,
  patternProblem,
  totalPatternWork,
} from '../../../src/schema/index.ts';
import { someSchema } from './schema-form.ts';

/** The error of a node's `pattern`. */
export function patternErrors(node: JsonObject, path: string): FieldError[] {
  const pattern = textAt(node, 'pattern');
  const problem = pattern === '' ? undefined : patternProblem(pattern);
  if (problem === undefined) return [];
  return [invalidField(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`)];
}

/** Patterns, and constant regular expressions of the rules, of a schema. */
function patternsIn(schema: JsonObject): Set<string> {
  const patterns = new Set<string>();
  someSchema(schema, (node) => {
    patterns.add(textAt(node, 'pattern'));
    for (const rule of objectsAt(node, 'x-kubernetes-validations')) {
      for (const key of ['rule', 'messageExpression']) {
        for (const pattern of patternsOf(textAt(rule, key))) patterns.add(pattern);
      }
    }
    return false;
  });
  return patterns;
}

/** Before anything of a definition is compiled: the error if that would take too long. kube-apiserver has no such limit.
 *  @param schemas of all versions */
export function patternWorkErrors(schemas: readonly JsonObject[]): FieldError[] {
  const work = totalPatternWork(schemas.flatMap((schema) => [...patternsIn(schema)]));
  if (work <= maxPatternWork) return [];
  const why = `the regular expressions of all versions are too large: size: ${work}, limit ${maxPatternWork}; shorten them, or repeat less in them`;
  return [forbiddenField('spec.versions', why)];
}
