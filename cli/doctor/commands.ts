/** The command that examines a cluster. It loads what it needs when it runs.
 *  @imports cli/install, cli/client, cli/process, cli/command, webhook, src/formats, src/kube, src/api, src/base */
import { type Command, kubeconfigOption, outputOption } from '../command/index.ts';
import { doctorOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const doctorCommands: readonly Command[] = [
  {
    name: 'doctor',
    summary: 'Examine a cluster from outside: what does not work, what will not work soon, and what to do.',
    description:
      'Looks at the definitions, the webhooks (by a dry run), certificates, clocks, processes, rights, and at Bundles and BundleDeployments that are stuck. Changes nothing.\nExit status: 0 all is well, 1 something should be looked at, 2 something does not work.',
    options: [kubeconfigOption, ...doctorOptions, outputOption],
    examples: ['doctor', 'doctor --kubeconfig admin.conf -o json'],
    failureStatus: 2,
    run: async (values) => (await import('./commands/doctor.ts')).doctor(values),
  },
];
