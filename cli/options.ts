import { parseArgs } from 'node:util';
import { TerminalError } from '../src/base/index.ts';

/** One command-line option: the only place that names it, its default and what it is for. `--help` and the docs are printed from it. */
export interface OptionSpec {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'flag' | 'list';
  /** Shown after the name in `--help`: `DIR`, `HOST[:PORT]`. */
  readonly placeholder?: string;
  readonly default?: string | number | boolean;
  readonly sentence: string;
  /** Environment variable that gives the value when the option is absent. */
  readonly variable?: string;
}

/** Values by option name; an absent option without default is absent here too. */
export type OptionValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ParsedOptions {
  readonly values: OptionValues;
  readonly positionals: readonly string[];
}

function parseNumber(spec: OptionSpec, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < 0) {
    throw new TerminalError('InvalidOption', `--${spec.name}: expected a whole number, found "${text}"`);
  }
  return value;
}

function valueOf(spec: OptionSpec, given: unknown): OptionValues[string] {
  if (given === undefined) return spec.default;
  if (given === '')
    throw new TerminalError('InvalidOption', `--${spec.name}: expected ${spec.placeholder ?? 'a value'}, found ""`);
  if (spec.kind === 'number') return parseNumber(spec, String(given as string));
  if (spec.kind === 'flag' && typeof given === 'string') return given !== 'false' && given !== '0';
  if (spec.kind === 'list' && typeof given === 'string') return given.split(',').filter((item) => item !== '');
  return given as string | boolean | readonly string[];
}

/** What is wrong with the arguments, in one line; Node's own text says more than helps for an unknown option. */
function usageProblem(thrown: Error & { readonly code?: string }, args: readonly string[]): string {
  if (thrown.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return thrown.message;
  const option = /'(-[^']*)'/.exec(thrown.message)?.[1] ?? args.join(' ');
  return `unknown option ${option}; --help lists those that there are`;
}

/** Reads `args` by `specs`; an option that is absent comes from its environment variable, then from its default. A flag is negated by `--no-<name>`.
 *  @throws TerminalError InvalidOption, naming the option and what was expected */
export function parseOptions(
  specs: readonly OptionSpec[],
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedOptions {
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: Object.fromEntries(
        specs.map(({ name, kind }) => [
          name,
          { type: kind === 'flag' ? ('boolean' as const) : ('string' as const), multiple: kind === 'list' },
        ]),
      ),
    });
  } catch (thrown) {
    throw new TerminalError('InvalidOption', usageProblem(thrown as Error, args), { cause: thrown });
  }
  const values = specs.map((spec): [string, OptionValues[string]] => {
    // A variable that is set to nothing counts as absent, as with most programs.
    const fallback = spec.variable === undefined ? undefined : environment[spec.variable] || undefined;
    return [spec.name, valueOf(spec, parsed.values[spec.name] ?? fallback)];
  });
  return { values: Object.fromEntries(values), positionals: parsed.positionals };
}

function leftColumn(spec: OptionSpec): string {
  const negatable = spec.kind === 'flag' && spec.default === true ? 'no-' : '';
  return `  --${negatable}${spec.name}${spec.placeholder === undefined ? '' : ` ${spec.placeholder}`}`;
}

/** The options as aligned lines for `--help`. */
export function formatOptions(specs: readonly OptionSpec[]): string {
  const width = Math.max(0, ...specs.map((spec) => leftColumn(spec).length)) + 3;
  const lines = specs.map((spec) => {
    const isShown = spec.default !== undefined && spec.default !== '' && typeof spec.default !== 'boolean';
    const fallback = isShown ? ` (default: ${spec.default})` : '';
    const variable = spec.variable === undefined ? '' : ` [${spec.variable}]`;
    return `${leftColumn(spec).padEnd(width)}${spec.sentence}${fallback}${variable}`;
  });
  return lines.join('\n');
}
