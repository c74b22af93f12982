/** `node-agent`: runs on a node, and brings its files, units and kernel arguments to what the pool of the node wants.
 *  @imports cli/client, cli/runtime, cli/process, cli/command, manager, src/kube, src/base */
import { type Command, defineCommand } from '../command/index.ts';
import { nodeAgentOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const nodeAgentCommands: readonly Command[] = [
  defineCommand({
    name: 'node-agent',
    summary: 'Run the agent of a node, which applies the configuration of its pool.',
    description:
      'Works on one Node of the cluster, and on the file system at --root. A drain of the node is requested from the controllers before a change that needs it. Without --reboot-command the agent waits until the node is restarted.',
    options: nodeAgentOptions,
    examples: ['node-agent --node worker-1 --root /host --reboot-command "systemctl reboot"'],
    isServer: true,
    run: async (values) => (await import('./commands/run.ts')).nodeAgent(values),
  }),
];
