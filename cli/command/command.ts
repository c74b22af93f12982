import type { OptionSpecs, OptionValues } from './option-spec.ts';

/** The arguments of a command, typed by their names: `NAME` is required, `[PACKAGE]` is not, and `FILE...` may be repeated. */
type Arguments<Names extends readonly string[]> = Names extends readonly [infer First, ...infer Rest extends string[]]
  ? First extends `[${string}...`
    ? readonly string[]
    : First extends `${string}...`
      ? readonly [string, ...string[]]
      : First extends `[${string}`
        ? readonly [string?, ...Arguments<Rest>]
        : readonly [string, ...Arguments<Rest>]
  : readonly [];

interface Definition<Specs extends OptionSpecs, Names extends readonly string[]> {
  /** One to three words: `up`, `bundle build`, `operator catalog add`. */
  readonly name: string;
  readonly summary: string;
  /** Printed below the summary by `--help`. */
  readonly description?: string;
  /** Names of the arguments: `NAME`, `DIR`; those in brackets are optional, and a last one with `...` may be repeated. */
  readonly positionals?: Names;
  /** Which of the arguments is the first catalog that `--catalog` may name instead. */
  readonly catalogAt?: number;
  readonly options: Specs;
  /** What a user types, without the program's name; at least one. */
  readonly examples: readonly string[];
  /** Left out of the overview. */
  readonly isHidden?: boolean;
  /** Takes what follows its name as it is, options included, as `words`. */
  readonly isRaw?: boolean;
  /** Runs until it is stopped. */
  readonly isServer?: boolean;
  /** The exit status when it fails; 1 when absent. */
  readonly failureStatus?: number;
  /** Exit statuses of failures by their reasons, that of wrong usage as `InvalidOption`; others have `failureStatus`, wrong usage 2. */
  readonly statuses?: Readonly<Record<string, number>>;
  /** Resolves to the exit status. Loads what it needs, so that `--help` answers at once. */
  run(values: OptionValues<Specs>, positionals: Arguments<Names>): Promise<number>;
}

/** A command of `longshore`, as the table of commands has it. */
export interface Command extends Omit<Definition<OptionSpecs, readonly string[]>, 'run'> {
  run(values: OptionValues, positionals: readonly string[]): Promise<number>;
}

/** Defines a command; the values and arguments that `run` takes are typed by `options` and `positionals`. */
export function defineCommand<const Specs extends OptionSpecs, const Names extends readonly string[] = []>(
  definition: Definition<Specs, Names>,
): Command {
  // The parser reads by the same specifications that the types derive from.
  return definition as unknown as Command;
}
