/** The command that runs everything on this machine. It loads what it needs when it runs. */
import { type Command, defineCommand } from '../command/index.ts';
import { upOptions } from '../settings/index.ts';

/** In the order of `longshore --help`. */
export const upCommands: readonly Command[] = [
  defineCommand({
    name: 'up',
    summary: 'Start a Kubernetes API, the webhook and the provisioners on this machine.',
    options: upOptions,
    examples: ['up', 'up --data-dir ~/.longshore --port 6443'],
    isServer: true,
    run: async (values) => (await import('./commands/up.ts')).up(values),
  }),
];
