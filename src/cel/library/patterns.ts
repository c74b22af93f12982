import { compilePattern, type Pattern, patternProblem } from '../../schema/index.ts';
import { ArrayList, Failure, noSuchOverload, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';

interface Search {
  readonly expression: Pattern;
  /** Negative: all. */
  readonly limit: number;
  /** Each match may look at the whole rest of the text. */
  readonly tick: () => void;
}

function findAll(text: string, { expression, limit, tick }: Search): string[] {
  const matcher = expression.matcher(text);
  const found: string[] = [];
  while (found.length !== limit && matcher.find()) {
    found.push(matcher.group() ?? '');
    tick();
  }
  return found;
}

function withExpression(compute: (text: string, search: Search) => Value, prefix = '') {
  return ([text = null, pattern = null, limit = -1n]: readonly Value[], tick: () => void): Value => {
    if (typeof text !== 'string' || typeof pattern !== 'string' || typeof limit !== 'bigint') return noSuchOverload();
    const expression = compilePattern(pattern);
    if (expression === undefined) return new Failure(`${prefix}${patternProblem(pattern)}`);
    return compute(text, { expression, limit: Number(limit), tick });
  };
}

/** Functions on texts and regular expressions. */
export const patternFunctions: Implementations = {
  matches: withExpression((text, { expression }) => expression.matcher(text).find()),
  find: withExpression((text, search) => findAll(text, { ...search, limit: 1 })[0] ?? '', 'Illegal regex: '),
  findAll: withExpression((text, search) => new ArrayList(findAll(text, search)), 'Illegal regex: '),
};
