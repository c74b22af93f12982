import { RE2JS } from 're2js';

const maxCompiled = 10_000;

/** A regular expression in Go's syntax (RE2). Matching takes time in proportion to the text, whatever the expression. */
export interface Pattern {
  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean;
}

type Compiled = { readonly pattern: Pattern } | { readonly problem: string };

const compiled = new Map<string, Compiled>();

function compile(source: string): Compiled {
  try {
    return { pattern: RE2JS.compile(source) };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

function lookUp(source: string): Compiled {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const made = compile(source);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(source, made);
  return made;
}

/** Compiles a pattern of a CRD; undefined when it is none. */
export function compilePattern(source: string): Pattern | undefined {
  const found = lookUp(source);
  return 'pattern' in found ? found.pattern : undefined;
}

/** Why a text is not a pattern, with Go's message: ``error parsing regexp: missing closing ]: `[` ``; undefined if it is one. */
export function patternProblem(source: string): string | undefined {
  const found = lookUp(source);
  return 'problem' in found ? found.problem : undefined;
}
