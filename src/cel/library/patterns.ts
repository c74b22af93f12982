import { RE2JS } from 're2js';
import { ArrayList, Failure, noSuchOverload, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';

/** A regular expression in Go's syntax; matching takes time in proportion to the text. */
export type Expression = RE2JS;

const maxCompiled = 1000;
/** As RE2 allows. */
const maxRepetitions = 1000;
/** In instructions of all programs together. */
const maxInstructions = 200_000;
const compiled = new Map<string, Expression | Failure>();
let instructions = 0;

/** Compiles a regular expression, or returns its problem. */
export function compileExpression(pattern: string): Expression | Failure {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = tryCompile(pattern);
  const size = made instanceof Failure ? 0 : made.programSize();
  if (compiled.size >= maxCompiled || instructions + size > maxInstructions) {
    compiled.clear();
    instructions = 0;
  }
  compiled.set(pattern, made);
  instructions += size;
  return made;
}

/** How often the compiler may have to repeat what stands in a regular expression; 0 when it is compiled already. */
export function repetitionsToCompile(pattern: string): number {
  if (compiled.has(pattern)) return 0;
  let most = 1;
  for (const [number] of pattern.matchAll(/\d{1,4}/g)) most = Math.max(most, Math.min(Number(number), maxRepetitions));
  return most;
}

function tryCompile(pattern: string): Expression | Failure {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return new Failure(error instanceof Error ? error.message : String(error));
  }
}

interface Search {
  readonly expression: Expression;
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
    const expression = compileExpression(pattern);
    if (expression instanceof Failure) return new Failure(prefix + expression.message);
    return compute(text, { expression, limit: Number(limit), tick });
  };
}

/** Functions on texts and regular expressions. */
export const patternFunctions: Implementations = {
  matches: withExpression((text, { expression }) => expression.matcher(text).find()),
  find: withExpression((text, search) => findAll(text, { ...search, limit: 1 })[0] ?? '', 'Illegal regex: '),
  findAll: withExpression((text, search) => new ArrayList(findAll(text, search)), 'Illegal regex: '),
};
