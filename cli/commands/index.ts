import { bundleCommands } from '../bundle/commands.ts';
import { catalogCommands } from '../catalog/commands.ts';
import { type Command, defineCommand, outputOption } from '../command/index.ts';
import { deploymentCommands } from '../deployments/commands.ts';
import { doctorCommands } from '../doctor/commands.ts';
import { installCommands } from '../install/commands.ts';

export type { Command } from '../command/index.ts';

import { upOptions } from '../config.ts';
import { controllersOptions, webhookOptions } from '../process-config.ts';

/** In the order of `longshore --help`. */
export const commands: readonly Command[] = [
  defineCommand({
    name: 'up',
    summary: 'Start a Kubernetes API, the webhook and the provisioners on this machine.',
    options: upOptions,
    examples: ['up', 'up --data-dir ~/.longshore --port 6443'],
    isServer: true,
    run: async (values) => (await import('./up.ts')).up(values),
  }),
  defineCommand({
    name: 'demo',
    summary: 'Run the walkthrough with kubectl on a temporary cluster.',
    options: {},
    examples: ['demo'],
    isServer: true,
    run: async () => (await import('./demo.ts')).demo(),
  }),
  ...deploymentCommands,
  ...bundleCommands,
  ...catalogCommands,
  ...installCommands,
  defineCommand({
    name: 'controllers',
    summary: 'Run the provisioners and the content server of a cluster.',
    description: 'The CustomResourceDefinitions and the system namespace must exist.',
    options: controllersOptions,
    examples: [
      'controllers',
      'controllers --kubeconfig admin.conf --tls-dir ./tls --provisioner-storage-dir ./bundles',
    ],
    isServer: true,
    run: async (values) => (await import('./controllers.ts')).controllers(values),
  }),
  defineCommand({
    name: 'webhook',
    summary: 'Run the admission webhook of a cluster.',
    description:
      'Writes its webhook configurations with the authority of its certificate, and updates them when the certificate is replaced.',
    options: webhookOptions,
    examples: [
      'webhook',
      'webhook --kubeconfig admin.conf --tls-dir ./tls --bind-address 127.0.0.1:9443 --external-address https://127.0.0.1:9443',
    ],
    isServer: true,
    run: async (values) => (await import('./webhook.ts')).webhook(values),
  }),
  ...doctorCommands,
  defineCommand({
    name: 'version',
    summary: 'Print the version and source revision.',
    options: { ...outputOption },
    examples: ['version', 'version -o json'],
    run: async (values) => (await import('../process/index.ts')).version(values),
  }),
  defineCommand({
    name: 'completion',
    summary: 'Print a shell completion script.',
    description: 'For bash and zsh: source <(longshore completion bash). For fish: longshore completion fish | source.',
    positionals: ['SHELL'],
    options: {},
    examples: ['completion bash', 'completion zsh', 'completion fish'],
    run: async (_values, positionals) => (await import('./completion.ts')).completion(positionals),
  }),
  defineCommand({
    name: '__complete',
    summary: 'Print completions of the words, for the completion scripts.',
    options: {},
    examples: ['__complete bundle b'],
    isHidden: true,
    isRaw: true,
    run: async (_values, words) => (await import('./completion.ts')).completeWords(commands, words),
  }),
];

const byName: ReadonlyMap<string, Command> = new Map(commands.map((command) => [command.name, command]));

/** The command that `args` begin with, and what follows its name; of two names the longer one. */
export function findCommand(
  args: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const command = byName.get(args.slice(0, words).join(' '));
    if (command !== undefined && args.length >= words) return { command, rest: args.slice(words) };
  }
  return undefined;
}
