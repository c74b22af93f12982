import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.ts';

/** A regular expression in Go's syntax (RE2). Matching takes time in proportion to the text, whatever the expression. */
export type Pattern = RE2JS;

/** Instructions of all patterns of an object together, which compile in a tenth of a second; published CustomResourceDefinitions have up to 19,000. */
const maxInstructions = 40_000;
const maxCachedBytes = 64 * 1024 * 1024;
const bytesPerInstruction = 200;

function tooLarge(size: number, max: number): string {
  const found = Number.isFinite(size) ? `about ${Math.ceil(size)}` : 'too many';
  return `error parsing regexp: expression too large: ${found} instructions, at most ${max} are allowed for all expressions of an object together`;
}

/** What the patterns of one object, or one expression, may compile to together. */
export class PatternBudget {
  readonly #max: number;
  readonly #counted = new Set<string>();
  #size = 0;

  constructor(max: number = maxInstructions) {
    this.#max = max;
  }

  /** Counts a pattern, once; why it is too large, if it is. */
  problemOf(source: string): string | undefined {
    if (this.#counted.has(source)) return undefined;
    const size = this.#size + patternSize(source);
    if (!(size <= this.#max)) return tooLarge(size, this.#max);
    this.#counted.add(source);
    this.#size = size;
    return undefined;
  }
}

interface Entry {
  readonly compiled: { readonly pattern: Pattern } | { readonly problem: string };
  /** Of memory, about. */
  bytes: number;
}

function compile(source: string): Entry['compiled'] {
  const problem = new PatternBudget().problemOf(source);
  if (problem !== undefined) return { problem };
  try {
    return { pattern: RE2JS.compile(source) };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** What an entry takes: its program, and the states that matching has added to it. */
function bytesOf(source: string, { compiled }: Pick<Entry, 'compiled'>): number {
  if ('problem' in compiled) return 2 * (source.length + compiled.problem.length);
  const { lazyDFA } = compiled.pattern.re2() as { readonly lazyDFA: Pattern['re2Input']['lazyDFA'] | null };
  const states = lazyDFA === null ? 0 : Math.max(0, lazyDFA.stateBudget - lazyDFA.memBudget);
  return 2 * source.length + compiled.pattern.programSize() * bytesPerInstruction + states;
}

/** The patterns that were used last, within a bound of memory. */
class PatternCache {
  readonly #entries = new Map<string, Entry>();
  #last: string | undefined;
  #bytes = 0;

  has(source: string): boolean {
    return this.#entries.has(source);
  }

  get(source: string): Entry['compiled'] {
    // The one before has been used since it was returned.
    if (this.#last !== undefined && this.#last !== source) this.#weigh(this.#last);
    this.#last = source;
    const entry = this.#entries.get(source) ?? { compiled: compile(source), bytes: 0 };
    this.#entries.delete(source);
    this.#entries.set(source, entry);
    if (entry.bytes === 0) this.#weigh(source);
    return entry.compiled;
  }

  #weigh(source: string): void {
    const entry = this.#entries.get(source);
    if (entry === undefined) return;
    const bytes = bytesOf(source, entry);
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    for (const [oldest, { bytes: freed }] of this.#entries) {
      if (this.#bytes <= maxCachedBytes || oldest === this.#last) return;
      this.#entries.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

const cache = new PatternCache();

/** Compiles a pattern, or takes the one that was compiled before. Callers look it up each time they match: only what is cached is counted. */
export function compilePattern(source: string): Pattern | undefined {
  const found = cache.get(source);
  return 'pattern' in found ? found.pattern : undefined;
}

/** Why a text is not a pattern, with Go's message: ``error parsing regexp: missing closing ]: `[` ``; undefined if it is one. */
export function patternProblem(source: string): string | undefined {
  const found = cache.get(source);
  return 'problem' in found ? found.problem : undefined;
}

/** Instructions that have to be compiled to use a pattern; 0 when that is done. */
export function instructionsToCompile(source: string): number {
  return cache.has(source) ? 0 : patternSize(source);
}
