/** The command that runs the admission webhook of a cluster. It loads what it needs when it runs.
 *  @imports cli/runtime, cli/settings, cli/command, manager, provisioners, webhook, src/kube */
import { type Command, defineCommand } from '../command/index.ts';
import { webhookOptions } from '../settings/index.ts';

/** In the order of `longshore --help`. */
export const webhookCommands: readonly Command[] = [
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
    run: async (values) => (await import('./commands/webhook.ts')).webhook(values),
  }),
];
