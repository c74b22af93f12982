/** The walkthrough on a temporary cluster. It loads what it needs when it runs.
 *  @imports cli/up, cli/console, cli/examples, cli/settings, cli/process, cli/output, cli/command, src/kube, src/base */
import { type Command, defineCommand } from '../command/index.ts';
import { demoOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const demoCommands: readonly Command[] = [
  defineCommand({
    name: 'demo',
    summary: 'Run a walkthrough with kubectl on a temporary cluster: bundles, olm, machines, or upgrade.',
    positionals: ['[bundles|olm|machines|upgrade]'],
    options: demoOptions,
    examples: ['demo', 'demo olm', 'demo machines', 'demo upgrade', 'demo --console'],
    isServer: true,
    run: async (values, positionals) => {
      if (values.console) return await (await import('./commands/console-demo.ts')).consoleDemo(values);
      return await (await import('./commands/demo.ts')).demo(positionals);
    },
  }),
];
