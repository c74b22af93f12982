import { parseArgs } from 'node:util';
import { nearest, TerminalError } from '../../src/base/index.ts';
import { readDuration } from './durations.ts';
import type { OptionSpec, OptionSpecs, OptionValues } from './option-spec.ts';

type Value = OptionValues[string];

/** A parsed command line. */
export interface ParsedOptions<Specs = OptionSpecs> {
  readonly values: OptionValues<Specs>;
  readonly positionals: readonly string[];
}

interface ParserOption {
  readonly type: 'boolean' | 'string';
  readonly multiple: boolean;
  readonly short?: string;
}

type NamedSpec = OptionSpec & { readonly name: string };

function named(specs: OptionSpecs): readonly NamedSpec[] {
  return Object.entries(specs).map(([name, spec]) => ({ name, ...spec }));
}

function invalid({ name }: NamedSpec, expected: string, found: string): TerminalError {
  return new TerminalError('InvalidOption', `--${name}: expected ${expected}, found ${found}`);
}

function parseNumber(spec: NamedSpec & { readonly kind: 'number' }, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < 0) throw invalid(spec, 'a whole number', `"${text}"`);
  const [least, greatest] = spec.range ?? [0, Number.POSITIVE_INFINITY];
  if (value < least || value > greatest) throw invalid(spec, `${least} to ${greatest}`, text);
  return value;
}

function parseDuration(spec: NamedSpec & { readonly kind: 'duration' }, text: string): number {
  const value = readDuration(text, spec);
  if (typeof value === 'number') return value;
  throw invalid(spec, value.expected, value.found);
}

function listed(choices: readonly string[]): string {
  return choices.length > 2 ? `one of ${choices.join(', ')}` : choices.join(' or ');
}

function parseChoice(spec: NamedSpec & { readonly kind: 'text' }, text: string): string {
  if (spec.choices?.includes(text) === false) throw invalid(spec, listed(spec.choices), `"${text}"`);
  return text;
}

function parseText(spec: NamedSpec, text: string): Value {
  if (text === '') throw invalid(spec, spec.placeholder ?? 'a value', '""');
  switch (spec.kind) {
    case 'number':
      return parseNumber(spec, text);
    case 'duration':
      return parseDuration(spec, text);
    case 'flag':
      return text !== 'false' && text !== '0';
    case 'list':
      return text.split(',').filter((item) => item !== '');
    case 'text':
      return parseChoice(spec, text);
  }
}

function valueOf(spec: NamedSpec, given: unknown): Value {
  if (given === undefined) {
    if (spec.kind === 'list') return [];
    return spec.kind === 'duration' && spec.default !== undefined ? parseDuration(spec, spec.default) : spec.default;
  }
  return typeof given === 'string' ? parseText(spec, given) : (given as boolean | readonly string[]);
}

/** Options of RukPak's programs that are not needed, see docs/configuration.md. */
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
function usageProblem(thrown: Error & { readonly code?: string }, specs: readonly NamedSpec[]): string {
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
function plainFlag(argument: string, specs: readonly NamedSpec[]): string {
  const [, name = '', value] = /^--([^=]+)=(true|false)$/.exec(argument) ?? [];
  const isFlag = specs.some((spec) => spec.kind === 'flag' && spec.name === name);
  if (!isFlag) return argument;
  return value === 'true' ? `--${name}` : `--no-${name}`;
}

function plainFlags(args: readonly string[], specs: readonly NamedSpec[]): string[] {
  const end = args.indexOf('--');
  return args.map((argument, index) => (end >= 0 && index > end ? argument : plainFlag(argument, specs)));
}

function parserOption({ name, kind, short }: NamedSpec): [string, ParserOption] {
  const type = kind === 'flag' ? ('boolean' as const) : ('string' as const);
  return [name, { type, multiple: kind === 'list', ...(short === undefined ? {} : { short }) }];
}

/** Reads `args` by `options`; an option that is absent comes from its environment variable, then from its default. A flag is negated by `--no-<name>` or `--<name>=false`.
 *  @throws TerminalError InvalidOption, naming the option and what was expected */
export function parseOptions<Specs extends OptionSpecs>(
  options: Specs,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedOptions<Specs> {
  const specs = named(options);
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
  const values = specs.map((spec): [string, Value] => {
    // An empty environment variable counts as absent, as in most programs.
    const fallback =
      spec.environmentVariable === undefined ? undefined : environment[spec.environmentVariable] || undefined;
    return [spec.name, valueOf(spec, parsed.values[spec.name] ?? fallback)];
  });
  return { values: Object.fromEntries(values) as OptionValues<Specs>, positionals: parsed.positionals };
}

/** The HTTPS origin that an option has, without a slash at its end; undefined where the option is absent.
 *  @throws TerminalError InvalidOption */
export function readOrigin(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.username === '' && url.search === '') return text.replace(/\/+$/, '');
  throw new TerminalError('InvalidOption', `--${name}: expected https://HOST[:PORT], found "${text}"`);
}

/** An option as `--help` and the documents name it: `--no-wait`, `--timeout DURATION`. */
export function optionTitle(name: string, spec: OptionSpec): string {
  const negatable = spec.kind === 'flag' && spec.default === true ? 'no-' : '';
  return `--${negatable}${name}${spec.placeholder === undefined ? '' : ` ${spec.placeholder}`}`;
}

/** The default as `--help` and the documents show it; undefined where there is none to show. */
export function shownDefault(spec: OptionSpec): string | undefined {
  if (spec.kind === 'list' || spec.kind === 'flag' || spec.default === undefined) return undefined;
  return String(spec.default);
}

/** The options as aligned lines for `--help`. */
export function formatOptions(options: OptionSpecs): string {
  const rows = Object.entries(options).map(([name, spec]) => {
    const short = spec.short === undefined ? '' : `-${spec.short}, `;
    return { left: `  ${short}${optionTitle(name, spec)}`, spec };
  });
  const width = Math.max(0, ...rows.map(({ left }) => left.length)) + 3;
  const lines = rows.map(({ left, spec }) => {
    const fallback = shownDefault(spec);
    const suffix = fallback === undefined ? '' : ` (default: ${fallback})`;
    const environmentVariable = spec.environmentVariable === undefined ? '' : ` [${spec.environmentVariable}]`;
    return `${left.padEnd(width)}${spec.description}${suffix}${environmentVariable}`;
  });
  return lines.join('\n');
}
