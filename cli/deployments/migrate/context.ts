import type { KubeClient } from '../../../src/kube/index.ts';
import type { clusterOptions, OptionValues, registryOptions } from '../../command/index.ts';
import { confirm, type Progress } from '../../output/index.ts';
import type { migrateOptions, timeoutOption } from '../options.ts';

/** The options of `longshore operator migrate`. */
export type Values = OptionValues<
  typeof clusterOptions & typeof migrateOptions & typeof timeoutOption & typeof registryOptions
>;

/** What the steps of a migration work with. */
export interface Context {
  readonly kube: KubeClient;
  readonly values: Values;
  readonly progress: Progress;
}

/** Prints a line of the result. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Whether the migration is to be done: asks, unless `--yes` or `--dry-run` is given.
 *  @throws TerminalError when the user refuses, or cannot be asked */
export async function confirmOnce({ values }: Context, about: string): Promise<boolean> {
  if (values['dry-run']) {
    print(about);
    return false;
  }
  if (values.yes) return true;
  const unasked = `${about} There is no terminal to ask on: confirm with --yes. Nothing was changed`;
  await confirm({ about: `${about}\n`, text: 'Migrate the operator?', unasked });
  return true;
}
