/** The walkthrough on a temporary cluster. It loads what it needs when it runs.
 *  @imports cli/up, cli/examples, cli/settings, cli/output, cli/command, src/base */
import { type Command, defineCommand } from '../command/index.ts';

/** In the order of `longshore --help`. */
export const demoCommands: readonly Command[] = [
  defineCommand({
    name: 'demo',
    summary: 'Run a walkthrough with kubectl on a temporary cluster: bundles, olm, machines, or upgrade.',
    positionals: ['[bundles|olm|machines|upgrade]'],
    options: {},
    examples: ['demo', 'demo olm', 'demo machines', 'demo upgrade'],
    isServer: true,
    run: async (_values, positionals) => (await import('./commands/demo.ts')).demo(positionals),
  }),
];
