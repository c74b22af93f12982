/** `machine …`: machines of a cluster, and what holds their deletion.
 *  @imports cli/client, cli/output, cli/command, src/kube, src/api, src/base */
import { type Command, defineCommand } from '../command/index.ts';
import { deleteOptions, hooksOptions, machineOptions } from './options.ts';

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
  defineCommand({
    name: 'machine delete',
    summary: 'Delete a machine, and follow what holds its deletion.',
    description:
      'The node is drained, hooks are awaited, then the instance ends. Exit status 1 when the machine still exists after --timeout.',
    positionals: ['NAME'],
    options: deleteOptions,
    examples: ['machine delete <machine>', 'machine delete <machine> --yes --wait'],
    run: async (values, positionals) => (await import('./commands/delete.ts')).machineDelete(values, positionals),
  }),
  defineCommand({
    name: 'machine hooks',
    summary: 'List lifecycle hooks of machines, who owns them and what they hold.',
    positionals: ['[NAME]'],
    options: hooksOptions,
    examples: ['machine hooks', 'machine hooks <machine>', 'machine hooks <machine> --remove BackupVolume'],
    run: async (values, positionals) => (await import('./commands/hooks.ts')).machineHooks(values, positionals),
  }),
];
