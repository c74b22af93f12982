/** Commands that install Longshore on a cluster and remove it. Each loads what it needs when it runs. */
import { type Command, kubeconfigOption } from '../command/index.ts';
import { installOptions, uninstallOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const installCommands: readonly Command[] = [
  {
    name: 'install',
    summary: 'Install Longshore on a cluster, or bring what is there up to this version.',
    description:
      'Applies the manifests of deploy/ by server-side apply, waits until everything runs and admission works, and says what is missing when it does not come.',
    options: [kubeconfigOption, ...installOptions],
    examples: ['install --image <registry>/longshore:0.1.0', 'install --overlay cert-manager --dry-run'],
    run: async (values) => (await import('./commands/install.ts')).install(values),
  },
  {
    name: 'uninstall',
    summary: 'Remove Longshore from a cluster; not while there are BundleDeployments, unless told.',
    options: [kubeconfigOption, ...uninstallOptions],
    examples: ['uninstall', 'uninstall --with-content'],
    run: async (values) => (await import('./commands/uninstall.ts')).uninstall(values),
  },
];
