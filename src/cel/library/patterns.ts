import { RE2JS } from 're2js';
import { ArrayList, Failure, noSuchOverload, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';

/** A regular expression in Go's syntax; matching takes time in proportion to the text. */
export type Expression = RE2JS;

const maxCompiled = 1000;
const compiled = new Map<string, Expression | Failure>();

/** Compiles a regular expression, or returns its problem. */
export function compileExpression(pattern: string): Expression | Failure {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= maxCompiled) compiled.clear();
  const made = tryCompile(pattern);
  compiled.set(pattern, made);
  return made;
}

function tryCompile(pattern: string): Expression | Failure {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return new Failure(error instanceof Error ? error.message : String(error));
  }
}

function findAll(expression: Expression, text: string, limit: number): string[] {
  const matcher = expression.matcher(text);
  const found: string[] = [];
  while (found.length !== limit && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

function withExpression(compute: (text: string, expression: Expression, limit: number) => Value, prefix = '') {
  return ([text = null, pattern = null, limit = -1n]: readonly Value[]): Value => {
    if (typeof text !== 'string' || typeof pattern !== 'string' || typeof limit !== 'bigint') return noSuchOverload();
    const expression = compileExpression(pattern);
    if (expression instanceof Failure) return new Failure(prefix + expression.message);
    return compute(text, expression, Number(limit));
  };
}

/** Functions on texts and regular expressions. */
export const patternFunctions: Implementations = {
  matches: withExpression((text, expression) => expression.matcher(text).find()),
  find: withExpression((text, expression) => findAll(expression, text, 1)[0] ?? '', 'Illegal regex: '),
  findAll: withExpression(
    (text, expression, limit) => new ArrayList(findAll(expression, text, limit)),
    'Illegal regex: ',
  ),
};
