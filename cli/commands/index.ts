import { upOptions } from '../config.ts';
import type { OptionSpec, OptionValues } from '../options.ts';

/** A command of `longshore`. `run` resolves to the exit status; it loads what it needs, so that `--help` answers at once. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  run(values: OptionValues): Promise<number>;
}

/** In the order of `longshore --help`. */
export const commands: readonly Command[] = [
  {
    name: 'up',
    summary: 'Start a Kubernetes API, the webhook and the provisioners on this machine.',
    options: upOptions,
    run: async (values) => (await import('./up.ts')).up(values),
  },
  {
    name: 'demo',
    summary: 'Play the main job once, with kubectl, on a cluster that comes and goes.',
    options: [],
    run: async () => (await import('./demo.ts')).demo(),
  },
  {
    name: 'version',
    summary: 'Print the version.',
    options: [],
    run: async () => (await import('./version.ts')).version(),
  },
];

export function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}
