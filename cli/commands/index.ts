import { clusterOptions, outputOption, runOptions } from '../client-options.ts';
import { upOptions } from '../config.ts';
import type { OptionSpec, OptionValues } from '../options.ts';

/** A command of `longshore`. `run` resolves to the exit status; it loads what it needs, so that `--help` answers at once. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Names of the arguments, all needed: `NAME`, `DIR`. */
  readonly positionals?: readonly string[];
  readonly options: readonly OptionSpec[];
  run(values: OptionValues, positionals: readonly string[]): Promise<number>;
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
    name: 'run',
    summary: 'Install the content of a folder: apply a BundleDeployment and upload the folder for it.',
    positionals: ['NAME', 'DIR'],
    options: [...clusterOptions, ...runOptions],
    run: async (values, positionals) => (await import('./run.ts')).run(values, positionals),
  },
  {
    name: 'content',
    summary: 'List the files of an unpacked Bundle.',
    positionals: ['BUNDLE'],
    options: [...clusterOptions, outputOption],
    run: async (values, positionals) => (await import('./content.ts')).content(values, positionals),
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
