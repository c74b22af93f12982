interface CommonSpec {
  /** One letter: `o` for `-o`. */
  readonly short?: string;
  /** Shown after the name in `--help`: `DIR`, `HOST[:PORT]`. */
  readonly placeholder?: string;
  readonly description: string;
  /** Environment variable that sets the value when the option is absent. */
  readonly environmentVariable?: string;
}

interface TextSpec extends CommonSpec {
  readonly kind: 'text';
  readonly default?: string;
  /** Allowed values. */
  readonly choices?: readonly string[];
}

interface NumberSpec extends CommonSpec {
  readonly kind: 'number';
  readonly default?: number;
  /** Least and greatest allowed value. */
  readonly range?: readonly [number, number];
}

/** A duration as kubectl and helm take it (`90s`, `1h30m`); its value is in milliseconds. A plain number is in `plainUnit`. */
interface DurationSpec extends CommonSpec {
  readonly kind: 'duration';
  readonly default?: string;
  /** Shortest and longest allowed duration. */
  readonly range?: readonly [string, string];
  /** Default: seconds. */
  readonly plainUnit?: 'seconds' | 'minutes';
}

interface FlagSpec extends CommonSpec {
  readonly kind: 'flag';
  readonly default?: boolean;
}

/** May be repeated; empty by default. */
interface ListSpec extends CommonSpec {
  readonly kind: 'list';
}

/** A command-line option. The help text, the documents, the parser and the type of its value derive from it. */
export type OptionSpec = TextSpec | NumberSpec | DurationSpec | FlagSpec | ListSpec;

/** Options by name: `{ 'dry-run': … }` is `--dry-run`. Declare them `as const`, so that `OptionValues` knows each value's type. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type AbsentValue<Spec> = Spec extends { readonly default: string | number | boolean } ? never : undefined;

type TextValue<Spec> = Spec extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

type OptionValue<Spec> = Spec extends { readonly kind: 'list' }
  ? readonly string[]
  : Spec extends { readonly kind: 'text' }
    ? TextValue<Spec> | AbsentValue<Spec>
    : Spec extends { readonly kind: 'number' | 'duration' }
      ? number | AbsentValue<Spec>
      : boolean | AbsentValue<Spec>;

/** The values that options have on a command line; undefined for an absent option without default. */
export type OptionValues<Specs = OptionSpecs> = { readonly [Name in keyof Specs]: OptionValue<Specs[Name]> };
