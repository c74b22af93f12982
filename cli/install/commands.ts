/** Commands that install Longshore on a cluster and remove it. Each loads what it needs when it runs. */
import { type Command, defineCommand, kubeconfigOption } from '../command/index.ts';
import { installOptions, uninstallOptions } from './options.ts';

/** In the order of `longshore --help`. */
export const installCommands: readonly Command[] = [
  defineCommand({
    name: 'install',
    summary: 'Install or upgrade Longshore on a cluster.',
    description:
      'Applies the manifests of deploy/ by server-side apply, waits until all Pods are ready and admission works, and reports the cause if they do not become ready.',
    options: { ...kubeconfigOption, ...installOptions },
    examples: ['install --image <registry>/longshore:0.1.0', 'install --overlay cert-manager --dry-run'],
    run: async (values) => (await import('./commands/install.ts')).install(values),
  }),
  defineCommand({
    name: 'uninstall',
    summary:
      'Remove Longshore from a cluster. Refused while there are BundleDeployments, unless --with-content is set.',
    options: { ...kubeconfigOption, ...uninstallOptions },
    examples: ['uninstall', 'uninstall --with-content'],
    run: async (values) => (await import('./commands/uninstall.ts')).uninstall(values),
  }),
];
