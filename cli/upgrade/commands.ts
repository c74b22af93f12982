/** `upgrade …`: updates of a cluster, requested and followed: the habits of `oc adm upgrade`, on every cluster that has a ClusterVersion.
 *  @imports cli/release-files, cli/client, cli/input, cli/output, cli/command, src/release, src/machines, src/constraints, src/kube, src/api, src/base */
import { type Command, defineCommand, documentOption, kubeconfigOption, registryOptions } from '../command/index.ts';
import { acceptOptions, channelOptions, recommendOptions, statusOptions, upgradeOptions } from './options.ts';

/** Exit statuses by the reason of a failure. */
const statuses = { InvalidOption: 1, UpgradeGuard: 2, UpgradeRejected: 3, UpgradeFailed: 4, UpgradeTimeout: 5 };
const failureStatus = 4;
const statusText =
  'Exit statuses: 0 done, 1 wrong usage, 2 a guard of this command, 3 rejected by the cluster, 4 failed, 5 not done in time.';

/** In the order of `longshore --help`. */
export const upgradeCommands: readonly Command[] = [
  defineCommand({
    name: 'upgrade',
    summary: 'Show the updates of a cluster, or request one.',
    description: `Without options it shows the state of the cluster and the available updates. A request is checked here first: whether the release is recommended, and whether the cluster is failing or already updates. The cluster verifies the release and checks the preconditions of the update. ${statusText}`,
    options: { ...kubeconfigOption, ...upgradeOptions, ...registryOptions, ...documentOption },
    examples: [
      'upgrade',
      'upgrade --include-not-recommended',
      'upgrade --to 4.18.3 --wait',
      'upgrade --to-image <registry>/<release>@sha256:<digest> --allow-explicit-upgrade',
      'upgrade --to 4.18.3 --dry-run server',
      'upgrade --clear',
    ],
    failureStatus,
    statuses,
    run: async (values) => (await import('./commands/upgrade.ts')).upgrade(values),
  }),
  defineCommand({
    name: 'upgrade status',
    summary: 'Show how far an update is, what it waits for, and what is unhealthy.',
    description:
      'Shows the control plane with its operators and an estimate of the remaining time, the pools of nodes where there are MachineConfigPools, and what slows the update down or stops it.',
    options: { ...kubeconfigOption, ...statusOptions, ...documentOption },
    examples: ['upgrade status', 'upgrade status --details all', 'upgrade status -o json'],
    failureStatus,
    statuses,
    run: async (values) => (await import('./commands/status.ts')).status(values),
  }),
  defineCommand({
    name: 'upgrade recommend',
    summary: 'Explain which updates are recommended, and the risks of the others.',
    description: 'Reads alone. With --version the exit status is 2 when an issue applies that --accept does not name.',
    options: { ...kubeconfigOption, ...recommendOptions, ...documentOption },
    examples: [
      'upgrade recommend',
      'upgrade recommend --version 4.18.3',
      'upgrade recommend --version 4.18.3 --accept ConditionalUpdateRisk --quiet',
    ],
    failureStatus,
    statuses,
    run: async (values) => (await import('./commands/recommend.ts')).recommend(values),
  }),
  defineCommand({
    name: 'upgrade channel',
    summary: 'Set the channel that updates come from, or clear it.',
    positionals: ['[CHANNEL]'],
    options: { ...kubeconfigOption, ...channelOptions },
    examples: ['upgrade channel stable-4.18', 'upgrade channel --allow-explicit-channel'],
    failureStatus,
    statuses,
    run: async (values, positionals) => (await import('./commands/channel.ts')).channel(values, positionals),
  }),
  defineCommand({
    name: 'upgrade accept',
    summary: 'Accept risks of updates by their names.',
    description: 'Names are separated by commas; a name with "-" behind it is no longer accepted.',
    positionals: ['[RISKS]'],
    options: { ...kubeconfigOption, ...acceptOptions },
    examples: ['upgrade accept RiskA,RiskB', 'upgrade accept RiskA-', 'upgrade accept --clear'],
    failureStatus,
    statuses,
    run: async (values, positionals) => (await import('./commands/accept.ts')).accept(values, positionals),
  }),
  defineCommand({
    name: 'upgrade rollback',
    summary: 'Return to the previous release of the same minor version.',
    options: { ...kubeconfigOption },
    examples: ['upgrade rollback'],
    failureStatus,
    statuses,
    run: async (values) => (await import('./commands/rollback.ts')).rollback(values),
  }),
];
