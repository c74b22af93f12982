import { overlays } from './overlays.ts';

/** What `longshore install` takes beside the cluster. */
export const installOptions = {
  overlay: {
    kind: 'text',
    placeholder: overlays.join('|') as string,
    choices: overlays as typeof overlays,
    description:
      'Source of certificates; with least, the controllers can install nothing until permissions are bound to them (default: the installed overlay, else self-signed).',
  },
  image: {
    kind: 'text',
    placeholder: 'REF',
    description:
      'Image of Longshore (default: the installed image, else longshore:VERSION, which must be loaded on the nodes).',
  },
  shards: {
    kind: 'number',
    placeholder: 'N',
    range: [1, 8],
    description:
      'Number of shards of the controllers, up to 8, with two Pods each (default: the installed number, else 1).',
  },
  olm: {
    kind: 'flag',
    description:
      'Install Operator Lifecycle Manager as well: CatalogSources, Subscriptions, ClusterServiceVersions and OperatorGroups are reconciled (default: as installed, else no).',
  },
  machines: {
    kind: 'flag',
    description:
      'Manage Machines and pools of nodes as well, with the provider of --actuator (default: as installed, else no).',
  },
  actuator: {
    kind: 'text',
    placeholder: 'URL|PROGRAM',
    description:
      'With --machines: the provider of machines, a URL that the controllers reach, or the path of a program in their image, see docs/actuators.md (default: the installed one).',
  },
  'node-agents': {
    kind: 'flag',
    description:
      'With --machines: run an agent on each node, in a privileged pod, that applies the configuration of its pool (default: as installed, else no).',
  },
  'take-over': {
    kind: 'flag',
    default: false,
    description:
      'With --olm, where another Operator Lifecycle Manager runs: scale its Deployments to 0, after a question, and continue with what it has installed.',
  },
  'dry-run': {
    kind: 'flag',
    default: false,
    description: 'Send a server-side dry run and change nothing.',
  },
  yes: {
    short: 'y',
    kind: 'flag',
    default: false,
    description: 'Skip the confirmation prompt of --take-over; required if standard input is not a terminal.',
  },
  timeout: {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '5m',
    range: ['0s', '24h'],
    description: 'How long to wait until the installation is ready; 0 does not wait.',
  },
} as const;

/** What `longshore uninstall` takes beside the cluster. */
export const uninstallOptions = {
  'with-content': {
    kind: 'flag',
    default: false,
    description: 'First delete BundleDeployments with everything that they installed, and Bundles.',
  },
  'with-operators': {
    kind: 'flag',
    default: false,
    description:
      'First delete the Subscriptions, ClusterServiceVersions and CatalogSources of Operator Lifecycle Manager, with what the operators run; definitions of their kinds and custom resources stay.',
  },
  'dry-run': {
    kind: 'flag',
    default: false,
    description: 'Print what would be deleted, without deleting it.',
  },
  yes: {
    short: 'y',
    kind: 'flag',
    default: false,
    description: 'Skip the confirmation prompt; required if standard input is not a terminal.',
  },
  timeout: {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '5m',
    description: 'How long to wait for each step of the deletion.',
  },
} as const;
