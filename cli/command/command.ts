import type { OptionSpec, OptionValues } from './options.ts';

/** A command of `longshore`. `run` resolves to the exit status; it loads what it needs, so that `--help` answers at once. */
export interface Command {
  /** One word or two: `up`, `bundle build`. */
  readonly name: string;
  readonly summary: string;
  /** Said below the summary by `--help`. */
  readonly description?: string;
  /** Names of the arguments: `NAME`, `DIR`; those in brackets are not needed, and of a last one with `...` there may be many. */
  readonly positionals?: readonly string[];
  /** Which of the arguments is the first catalog that `--catalog` may name instead. */
  readonly catalogAt?: number;
  readonly options: readonly OptionSpec[];
  /** What a person would type, without the program's name; at least one. */
  readonly examples: readonly string[];
  /** Left out of the overview. */
  readonly isHidden?: boolean;
  /** Takes what follows its name as it stands, options included. */
  readonly isRaw?: boolean;
  /** Runs until it is stopped. */
  readonly isServer?: boolean;
  /** The exit status when it fails; 1 when absent. */
  readonly failureStatus?: number;
  run(values: OptionValues, positionals: readonly string[]): Promise<number>;
}
