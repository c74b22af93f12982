/** `machine …`: machines of a cluster, and what holds their deletion.
 *  @imports cli/client, cli/output, cli/command, src/api */
import { type Command, defineCommand } from '../command/index.ts';
import { machineOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const machineCommands: readonly Command[] = [
  defineCommand({
    name: 'machine list',
    summary: 'List machines, their nodes, and what holds their deletion.',
    options: machineOptions,
    examples: ['machine list', 'machine list -n <namespace> -o json'],
    run: async (values) => (await import('./commands/list.ts')).machineList(values),
  }),
  defineCommand({
    name: 'machine describe',
    summary: 'Show how far the deletion of a machine is, and who holds it.',
    description:
      'The steps of a deletion in their order: those that are done, the one that holds the others up, and why.',
    positionals: ['NAME'],
    options: machineOptions,
    examples: ['machine describe <machine>'],
    run: async (values, positionals) => (await import('./commands/describe.ts')).machineDescribe(values, positionals),
  }),
];
