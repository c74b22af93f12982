import type { OptionSpec } from '../command/index.ts';
import { overlays } from './overlays.ts';

/** What `longshore install` takes beside the cluster. */
export const installOptions: readonly OptionSpec[] = [
  {
    name: 'overlay',
    kind: 'text',
    placeholder: overlays.join('|'),
    choices: overlays,
    description:
      'Source of certificates; with least, the controllers can install nothing until permissions are bound to them (default: the installed overlay, else self-signed).',
  },
  {
    name: 'image',
    kind: 'text',
    placeholder: 'REF',
    description:
      'Image of Longshore (default: the installed image, else longshore:VERSION, which must be loaded on the nodes).',
  },
  {
    name: 'shards',
    kind: 'number',
    placeholder: 'N',
    description:
      'Number of shards of the controllers, up to 8, with two Pods each (default: the installed number, else 1).',
  },
  {
    name: 'dry-run',
    kind: 'flag',
    default: false,
    description: 'Send a server-side dry run and change nothing.',
  },
  {
    name: 'timeout',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 300,
    description: 'How long to wait until the installation is ready; 0 does not wait.',
  },
];

/** What `longshore uninstall` takes beside the cluster. */
export const uninstallOptions: readonly OptionSpec[] = [
  {
    name: 'with-content',
    kind: 'flag',
    default: false,
    description: 'First delete BundleDeployments with everything that they installed, and Bundles.',
  },
  {
    name: 'dry-run',
    kind: 'flag',
    default: false,
    description: 'Print what would be deleted, without deleting it.',
  },
  {
    name: 'yes',
    short: 'y',
    kind: 'flag',
    default: false,
    description: 'Skip the confirmation prompt; required if standard input is not a terminal.',
  },
  {
    name: 'timeout',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 300,
    description: 'How long to wait for each step of the deletion.',
  },
];
