/** `node …`: nodes of a cluster, and what leaves them.
 *  @imports cli/client, cli/output, cli/command, src/drain, src/api, src/kube, src/base */
import { type Command, defineCommand } from '../command/index.ts';
import { drainOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const nodeCommands: readonly Command[] = [
  defineCommand({
    name: 'node drain',
    summary: 'Cordon a node and evict its pods, or show what that would do.',
    description:
      'Pods are evicted: PodDisruptionBudgets are honored, and name themselves where they hold a pod. Pods of DaemonSets and static pods stay. Exit status 1 when pods are left after --timeout.',
    positionals: ['NODE'],
    options: drainOptions,
    examples: ['node drain <node> --plan', 'node drain <node> --yes --timeout 5m'],
    run: async (values, positionals) => (await import('./commands/drain.ts')).nodeDrain(values, positionals),
  }),
];
