/** The command that examines a cluster. It loads what it needs when it runs.
 *  @imports cli/install, cli/client, cli/process, cli/command, webhook, src/formats, src/kube, src/api, src/base */
import { type Command, defineCommand, kubeconfigOption, outputOption } from '../command/index.ts';
import { doctorOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const doctorCommands: readonly Command[] = [
  defineCommand({
    name: 'doctor',
    summary: 'Diagnose the Longshore installation of a cluster.',
    description:
      'Checks CustomResourceDefinitions, webhooks (by a dry run), certificates, clocks, processes, permissions, Bundles and BundleDeployments that are stuck, and what ClusterCatalogs, ClusterExtensions and PlatformOperators report, and suggests fixes. Read-only.\nExit status: 0 no problems, 1 warnings, 2 errors.',
    options: { ...kubeconfigOption, ...doctorOptions, ...outputOption },
    examples: ['doctor', 'doctor --kubeconfig admin.conf -o json'],
    failureStatus: 2,
    run: async (values) => (await import('./commands/doctor.ts')).doctor(values),
  }),
];
