import { isJsonObject, type JsonObject, objectAt, objectsAt, textAt } from '../base/index.ts';
import type { FieldError } from './field-error.ts';
import { invalidField } from './field-errors.ts';
import type { PatternBudget } from './patterns.ts';

function childrenOf(node: JsonObject, path: string): (readonly [JsonObject, string])[] {
  const single = ['not', 'items', 'additionalProperties'].map(
    (key) => [objectAt(node, key), `${path}.${key}`] as const,
  );
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
    objectsAt(node, key).map((branch, index) => [branch, `${path}.${key}[${index}]`] as const),
  );
  const named = Object.entries(objectAt(node, 'properties') ?? {}).map(
    ([name, property]) => [property, `${path}.properties[${name}]`] as const,
  );
  return [...single, ...branches, ...named].flatMap(([child, at]) =>
    isJsonObject(child) ? [[child, at] as const] : [],
  );
}

/** Errors of the patterns of a schema that exceed the budget. None is compiled. */
export function patternSizeErrors(node: JsonObject, path: string, budget: PatternBudget): FieldError[] {
  const pattern = textAt(node, 'pattern');
  const problem = pattern === '' ? undefined : budget.problemOf(pattern);
  const below = childrenOf(node, path).flatMap(([child, at]) => patternSizeErrors(child, at, budget));
  if (problem === undefined) return below;
  const rule = `must be a valid regular expression, but isn't: ${problem}`;
  return [invalidField(`${path}.pattern`, pattern, rule), ...below];
}
