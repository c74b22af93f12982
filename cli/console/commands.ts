/** The command that serves the web console. It loads what it needs when it runs. */
import { type Command, defineCommand, kubeconfigOption, logLevelOption } from '../command/index.ts';
import { consoleOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const consoleCommands: readonly Command[] = [
  defineCommand({
    name: 'console',
    summary: 'Serve the web console for a cluster.',
    description:
      'On a laptop it listens on loopback, and prints a link that signs in once, as the user of the kubeconfig. With --api-server users sign in themselves, and the console has no permissions of its own.',
    options: { ...kubeconfigOption, ...consoleOptions, ...logLevelOption },
    examples: [
      'console --open',
      'console --bind-address 0.0.0.0:8443 --api-server https://kubernetes.default.svc --external-url https://<console-host>',
    ],
    isServer: true,
    run: async (values) => (await import('./commands/console.ts')).serveConsole(values),
  }),
];
