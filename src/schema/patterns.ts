import { RE2JS } from 're2js';
import { patternWork } from './pattern-work.ts';

/** Of all patterns of one definition, or of one expression. The definitions of the field have some thousands. */
export const maxPatternWork = 300_000;
const maxCompiled = 10_000;
/** Of all compiled programs together. */
const maxInstructions = 600_000;

/** A regular expression in Go's syntax (RE2). Matching takes time in proportion to the text, whatever the expression. */
export type Pattern = RE2JS;

type Compiled = { readonly pattern: Pattern } | { readonly problem: string };

const compiled = new Map<string, Compiled>();
let instructions = 0;

function compile(source: string): Compiled {
  if (patternWork(source) > maxPatternWork) return { problem: 'error parsing regexp: expression too large' };
  try {
    return { pattern: RE2JS.compile(source) };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Compiles a regular expression, or returns Go's message: ``error parsing regexp: missing closing ]: `[` ``. The programs used last are cached. */
export function compilePattern(source: string): Compiled {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const made = compile(source);
  const size = 'pattern' in made ? made.pattern.programSize() : 0;
  if (compiled.size >= maxCompiled || instructions + size > maxInstructions) {
    compiled.clear();
    instructions = 0;
  }
  compiled.set(source, made);
  instructions += size;
  return made;
}

/** The work of compiling all of these, each once. */
export function totalPatternWork(patterns: Iterable<string>): number {
  let work = 0;
  for (const pattern of new Set(patterns)) work += patternWork(pattern);
  return work;
}

/** Whether `compilePattern` would have to compile it. */
export function isPatternCompiled(source: string): boolean {
  return compiled.has(source);
}

/** Why a text is not a pattern; undefined if it is one. */
export function patternProblem(source: string): string | undefined {
  const found = compilePattern(source);
  return 'problem' in found ? found.problem : undefined;
}
