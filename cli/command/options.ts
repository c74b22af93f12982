import { parseArgs } from 'node:util';
import { nearest, TerminalError } from '../../src/base/index.ts';

/** A command-line option: its name, default and description, from which `--help` and the docs are printed. */
export interface OptionSpec {
  readonly name: string;
  /** One letter: `o` for `-o`. */
  readonly short?: string;
  readonly kind: 'text' | 'number' | 'flag' | 'list';
  /** Shown after the name in `--help`: `DIR`, `HOST[:PORT]`. */
  readonly placeholder?: string;
  readonly default?: string | number | boolean;
  readonly description: string;
  /** Allowed values. */
  readonly choices?: readonly string[];
  /** Environment variable that gives the value when the option is absent. */
  readonly environmentVariable?: string;
}

/** Values by option name; an absent option without default is absent here too. */
export type OptionValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ParsedOptions {
  readonly values: OptionValues;
  readonly positionals: readonly string[];
}

interface ParserOption {
  readonly type: 'boolean' | 'string';
  readonly multiple: boolean;
  readonly short?: string;
}

function parseNumber(spec: OptionSpec, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < 0) {
    throw invalid(spec, 'a whole number', text);
  }
  return value;
}

function invalid(spec: OptionSpec, expected: string, found: string): TerminalError {
  return new TerminalError('InvalidOption', `--${spec.name}: expected ${expected}, found "${found}"`);
}

function parseText(spec: OptionSpec, text: string): OptionValues[string] {
  if (text === '') throw invalid(spec, spec.placeholder ?? 'a value', text);
  if (spec.choices?.includes(text) === false) throw invalid(spec, spec.choices.join(' or '), text);
  if (spec.kind === 'number') return parseNumber(spec, text);
  if (spec.kind === 'flag') return text !== 'false' && text !== '0';
  return spec.kind === 'list' ? text.split(',').filter((item) => item !== '') : text;
}

function valueOf(spec: OptionSpec, given: unknown): OptionValues[string] {
  if (given === undefined) return spec.default;
  return typeof given === 'string' ? parseText(spec, given) : (given as boolean | readonly string[]);
}

/** Options of RukPak's programs that nothing here has; docs/configuration.md says why. */
const notNeeded: ReadonlySet<string> = new Set([
  '--unpack-image',
  '--base-upload-manager-url',
  '--upload-storage-dir',
  '--upload-storage-sync-interval',
  '--feature-gates',
  '--metrics-bind-address',
  '--enable-http2',
]);

/** What is wrong with the arguments, in one line; Node's own text is too long for an unknown option. */
function usageProblem(thrown: Error & { readonly code?: string }, specs: readonly OptionSpec[]): string {
  if (thrown.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return thrown.message;
  const option = /'(-[^']*)'/.exec(thrown.message)?.[1] ?? '';
  if (notNeeded.has(option)) return `unknown option ${option}: this option of RukPak is not needed; remove it`;
  const meant = nearest(
    option,
    specs.map(({ name }) => `--${name}`),
  );
  const hint = meant === undefined ? '' : `, did you mean ${meant}?`;
  return `unknown option ${option}${hint === '' ? ';' : `${hint} Otherwise`} --help lists the options`;
}

/** `--NAME=true` and `--NAME=false` of flags, as kubectl and helm take them, in the form that the parser knows. */
function plainFlag(argument: string, specs: readonly OptionSpec[]): string {
  const [, name = '', value] = /^--([^=]+)=(true|false)$/.exec(argument) ?? [];
  const isFlag = specs.some((spec) => spec.kind === 'flag' && spec.name === name);
  if (!isFlag) return argument;
  return value === 'true' ? `--${name}` : `--no-${name}`;
}

function plainFlags(args: readonly string[], specs: readonly OptionSpec[]): string[] {
  const end = args.indexOf('--');
  return args.map((argument, index) => (end >= 0 && index > end ? argument : plainFlag(argument, specs)));
}

function parserOption({ name, kind, short }: OptionSpec): [string, ParserOption] {
  const type = kind === 'flag' ? ('boolean' as const) : ('string' as const);
  return [name, { type, multiple: kind === 'list', ...(short === undefined ? {} : { short }) }];
}

/** Reads `args` by `specs`; an option that is absent comes from its environment variable, then from its default. A flag is negated by `--no-<name>` or `--<name>=false`.
 *  @throws TerminalError InvalidOption, naming the option and what was expected */
export function parseOptions(
  specs: readonly OptionSpec[],
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedOptions {
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: plainFlags(args, specs),
      allowPositionals: true,
      allowNegative: true,
      options: Object.fromEntries(specs.map(parserOption)),
    });
  } catch (thrown) {
    throw new TerminalError('InvalidOption', usageProblem(thrown as Error, specs), { cause: thrown });
  }
  const values = specs.map((spec): [string, OptionValues[string]] => {
    // An empty environment variable counts as absent, as in most programs.
    const fallback =
      spec.environmentVariable === undefined ? undefined : environment[spec.environmentVariable] || undefined;
    return [spec.name, valueOf(spec, parsed.values[spec.name] ?? fallback)];
  });
  return { values: Object.fromEntries(values), positionals: parsed.positionals };
}

/** @throws TerminalError InvalidOption */
export function inRange(name: string, value: number, range: readonly [number, number]): number {
  if (value >= range[0] && value <= range[1]) return value;
  throw new TerminalError('InvalidOption', `--${name}: expected ${range[0]} to ${range[1]}, found ${value}`);
}

/** The HTTPS origin that an option gives, without a slash at its end; undefined where the option is absent.
 *  @throws TerminalError InvalidOption */
export function readOrigin(name: string, values: OptionValues): string | undefined {
  const text = values[name] as string | undefined;
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.username === '' && url.search === '') return text.replace(/\/+$/, '');
  throw new TerminalError('InvalidOption', `--${name}: expected https://HOST[:PORT], found "${text}"`);
}

function leftColumn(spec: OptionSpec): string {
  const negatable = spec.kind === 'flag' && spec.default === true ? 'no-' : '';
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  return `  ${short}--${negatable}${spec.name}${spec.placeholder === undefined ? '' : ` ${spec.placeholder}`}`;
}

/** The options as aligned lines for `--help`. */
export function formatOptions(specs: readonly OptionSpec[]): string {
  const width = Math.max(0, ...specs.map((spec) => leftColumn(spec).length)) + 3;
  const lines = specs.map((spec) => {
    const isShown = spec.default !== undefined && spec.default !== '' && typeof spec.default !== 'boolean';
    const fallback = isShown ? ` (default: ${spec.default})` : '';
    const environmentVariable = spec.environmentVariable === undefined ? '' : ` [${spec.environmentVariable}]`;
    return `${leftColumn(spec).padEnd(width)}${spec.description}${fallback}${environmentVariable}`;
  });
  return lines.join('\n');
}

/** The text of an option that takes one of several words.
 *  @throws TerminalError InvalidOption */
export function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === text);
  if (found !== undefined) return found;
  throw new TerminalError('InvalidOption', `--${name}: expected one of ${allowed.join(', ')}, found "${text}"`);
}
