/** `pool …`: pools of nodes, and how far their updates are.
 *  @imports cli/client, cli/output, cli/command, src/machines, src/kube, src/api, src/base */
import { type Command, defineCommand } from '../command/index.ts';
import { poolOptions, poolStatusOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const poolCommands: readonly Command[] = [
  defineCommand({
    name: 'pool list',
    summary: 'List pools of nodes, and how far their updates are.',
    options: poolOptions,
    examples: ['pool list', 'pool list -o json'],
    run: async (values) => (await import('./commands/list.ts')).poolList(values),
  }),
  defineCommand({
    name: 'pool status',
    summary: 'Show the nodes of a pool: what each one has, does, and waits for.',
    description:
      'With --wait it prints each change until all nodes are updated. Exit status 1: the pool is degraded, or not updated in time.',
    positionals: ['NAME'],
    options: poolStatusOptions,
    examples: ['pool status worker', 'pool status worker --wait'],
    run: async (values, positionals) => (await import('./commands/status.ts')).poolStatus(values, positionals),
  }),
  defineCommand({
    name: 'pool pause',
    summary: 'Start no further nodes of a pool; those that were started go on.',
    positionals: ['NAME'],
    options: poolOptions,
    examples: ['pool pause worker'],
    run: async (values, positionals) => (await import('./commands/pause.ts')).poolPause(values, positionals),
  }),
  defineCommand({
    name: 'pool resume',
    summary: 'Update a paused pool again.',
    positionals: ['NAME'],
    options: poolOptions,
    examples: ['pool resume worker'],
    run: async (values, positionals) => (await import('./commands/pause.ts')).poolResume(values, positionals),
  }),
  defineCommand({
    name: 'pool skip',
    summary:
      'Continue the update of a pool without one of its gates: canary, maintenance-window, daemon-sets, disruption-budgets, etcd-health or a check.',
    description: 'The gate is skipped for the present configuration of the pool alone: the next one has it again.',
    positionals: ['NAME', 'GATE'],
    options: poolOptions,
    examples: ['pool skip worker canary', 'pool skip worker smoke'],
    run: async (values, positionals) => (await import('./commands/skip.ts')).poolSkip(values, positionals),
  }),
];
