/** Operators of catalogs, installed by Operator Lifecycle Manager: the habits of `kubectl operator`. Each command loads what it needs when it runs.
 *  @imports cli/install, cli/catalog-files, cli/oci, cli/client, cli/input, cli/output, cli/command, src/catalog,
 *    src/operators, src/installations, src/kube, src/api, src/base */
import { type Command, defineCommand, documentOption, kubeconfigOption, registryOptions } from '../command/index.ts';
import {
  addCatalogOptions,
  allNamespacesOption,
  availableOptions,
  installOperatorOptions,
  operatorNamespaceOption,
  operatorTimeoutOption,
  runOperatorOptions,
  uninstallOperatorOptions,
  yesOption,
} from './options.ts';

const anyNamespaceOption = {
  namespace: {
    short: 'n',
    kind: 'text',
    placeholder: 'NAME',
    description: 'Only this namespace (default: all).',
  },
} as const;

const catalogNamespaceOption = { namespace: addCatalogOptions.namespace } as const;

const channelOption = {
  channel: { kind: 'text', placeholder: 'CHANNEL', description: 'Change to this channel first.' },
} as const;

/** In the order of `longshore --help`. */
export const operatorCommands: readonly Command[] = [
  defineCommand({
    name: 'operator list-available',
    summary: 'List the packages of catalogs, with their channels.',
    positionals: ['[PACKAGE]'],
    options: { ...kubeconfigOption, ...availableOptions, ...documentOption },
    examples: ['operator list-available', 'operator list-available <package> -o yaml'],
    run: async (values, positionals) =>
      (await import('./commands/list-available.ts')).listAvailable(values, positionals),
  }),
  defineCommand({
    name: 'operator install',
    summary: 'Install an operator from a catalog by a Subscription.',
    description:
      'Creates the namespace and an OperatorGroup where there are none, and a Subscription; shows the plan with its operators, permissions and definitions; asks; approves the plan and waits until the operator runs. Without confirmation everything is removed again that no other client uses.',
    positionals: ['PACKAGE'],
    options: {
      ...kubeconfigOption,
      ...operatorNamespaceOption,
      ...installOperatorOptions,
      ...yesOption,
      ...operatorTimeoutOption,
    },
    examples: [
      'operator install <package>',
      'operator install <package> --channel <channel> --version 1.2.3 --approval Manual --yes',
      'operator install <package> -n <namespace> --watch-namespace <namespace>',
    ],
    run: async (values, positionals) => (await import('./commands/install.ts')).install(values, positionals),
  }),
  defineCommand({
    name: 'operator list',
    summary: 'List installed operators with their state.',
    options: { ...kubeconfigOption, ...anyNamespaceOption, ...allNamespacesOption, ...documentOption },
    examples: ['operator list', 'operator list -n operators -o json'],
    run: async (values) => (await import('./commands/list.ts')).list(values),
  }),
  defineCommand({
    name: 'operator describe',
    summary: 'Show an installed operator: what it waits for, since when, and what to do.',
    positionals: ['PACKAGE'],
    options: { ...kubeconfigOption, ...operatorNamespaceOption, ...documentOption },
    examples: ['operator describe <package>'],
    run: async (values, positionals) => (await import('./commands/describe.ts')).describe(values, positionals),
  }),
  defineCommand({
    name: 'operator upgrade',
    summary: 'Approve the upgrade that an operator waits for.',
    positionals: ['PACKAGE'],
    options: {
      ...kubeconfigOption,
      ...operatorNamespaceOption,
      ...channelOption,
      ...yesOption,
      ...operatorTimeoutOption,
    },
    examples: ['operator upgrade <package>', 'operator upgrade <package> --channel <channel> --yes'],
    run: async (values, positionals) => (await import('./commands/upgrade.ts')).upgrade(values, positionals),
  }),
  defineCommand({
    name: 'operator approve',
    summary: 'Approve an InstallPlan, by its name or by the package that waits for it.',
    positionals: ['PLAN|PACKAGE'],
    options: { ...kubeconfigOption, ...operatorNamespaceOption, ...yesOption, ...operatorTimeoutOption },
    examples: ['operator approve <package>', 'operator approve install-abcde --yes'],
    run: async (values, positionals) => (await import('./commands/approve.ts')).approve(values, positionals),
  }),
  defineCommand({
    name: 'operator uninstall',
    summary: 'Delete the Subscription and the ClusterServiceVersion of an operator.',
    description: 'Custom resources and their definitions stay, unless --delete-crds is given.',
    positionals: ['PACKAGE'],
    options: { ...kubeconfigOption, ...operatorNamespaceOption, ...uninstallOperatorOptions, ...yesOption },
    examples: ['operator uninstall <package>', 'operator uninstall <package> --delete-crds --yes'],
    run: async (values, positionals) => (await import('./commands/uninstall.ts')).uninstall(values, positionals),
  }),
  defineCommand({
    name: 'operator run',
    summary: 'Install an operator from a bundle, or upgrade it to the next build.',
    description:
      'Makes a catalog with the bundle, and a CatalogSource, an OperatorGroup and a Subscription for it. A bundle with another name than the installed one replaces it, one with the same name is installed again.',
    positionals: ['DIR|IMAGE'],
    options: {
      ...kubeconfigOption,
      ...operatorNamespaceOption,
      ...runOperatorOptions,
      ...operatorTimeoutOption,
      ...registryOptions,
    },
    examples: ['operator run ./bundle -n default', 'operator run <registry>/<bundle>:v1'],
    run: async (values, positionals) => (await import('./commands/run.ts')).run(values, positionals),
  }),
  defineCommand({
    name: 'operator catalog add',
    summary: 'Add a catalog by its image, or by the address where it is served.',
    positionals: ['NAME', 'IMAGE|ADDRESS'],
    options: { ...kubeconfigOption, ...addCatalogOptions },
    examples: [
      'operator catalog add <catalog> <registry>/<image>:<tag>',
      'operator catalog add <catalog> <host>:50051 --address -n <namespace>',
    ],
    run: async (values, positionals) => (await import('./commands/catalog.ts')).addCatalog(values, positionals),
  }),
  defineCommand({
    name: 'operator catalog list',
    summary: 'List CatalogSources with their state.',
    options: { ...kubeconfigOption, ...documentOption },
    examples: ['operator catalog list'],
    run: async (values) => (await import('./commands/catalog.ts')).listCatalogs(values),
  }),
  defineCommand({
    name: 'operator catalog remove',
    summary: 'Remove a catalog; what was installed from it continues to run.',
    positionals: ['NAME'],
    description:
      'Names the Subscriptions that get no updates without the catalog, and asks. Exit status: 0 removed, 1 error.',
    options: { ...kubeconfigOption, ...catalogNamespaceOption, ...yesOption },
    examples: ['operator catalog remove <catalog>', 'operator catalog remove <catalog> --yes'],
    run: async (values, positionals) => (await import('./commands/catalog.ts')).removeCatalog(values, positionals),
  }),
];
