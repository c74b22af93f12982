/** The command that runs the controllers of a cluster: leader election, shards, certificates. It loads what it needs when it runs.
 *  @imports cli/runtime, cli/settings, cli/client, cli/command, manager, provisioners, src/catalog, src/content,
 *    src/controller, src/kube, src/metrics, src/api, src/base */
import { type Command, defineCommand } from '../command/index.ts';
import { controllersOptions } from '../settings/index.ts';

/** In the order of `longshore --help`. */
export const controllersCommands: readonly Command[] = [
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
    run: async (values) => (await import('./commands/controllers.ts')).controllers(values),
  }),
];
