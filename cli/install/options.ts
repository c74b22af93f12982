import type { OptionSpec } from '../command/index.ts';
import { overlays } from './overlays.ts';

/** What `longshore install` takes beside the cluster. */
export const installOptions: readonly OptionSpec[] = [
  {
    name: 'overlay',
    kind: 'text',
    placeholder: overlays.join('|'),
    choices: overlays,
    sentence:
      'Where certificates come from; with least the controllers may install nothing until rights are bound to them (default: the one that is installed, else self-signed).',
  },
  {
    name: 'image',
    kind: 'text',
    placeholder: 'REF',
    sentence:
      'The image that the nodes pull (default: the one that is installed, else longshore:VERSION, for nodes that have it already).',
  },
  {
    name: 'shards',
    kind: 'number',
    placeholder: 'N',
    sentence:
      'How many leaders share the work of the controllers, up to 8, with two pods each (default: as many as are installed, else 1).',
  },
  {
    name: 'dry-run',
    kind: 'flag',
    default: false,
    sentence: 'Have the server check everything, and write nothing.',
  },
  {
    name: 'timeout',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 300,
    sentence: 'How long to wait until everything runs; 0 does not wait.',
  },
];

/** What `longshore uninstall` takes beside the cluster. */
export const uninstallOptions: readonly OptionSpec[] = [
  {
    name: 'with-content',
    kind: 'flag',
    default: false,
    sentence: 'Remove BundleDeployments, with everything that they have installed, and Bundles first.',
  },
  {
    name: 'dry-run',
    kind: 'flag',
    default: false,
    sentence: 'Print what would be deleted, and delete nothing.',
  },
  {
    name: 'yes',
    short: 'y',
    kind: 'flag',
    default: false,
    sentence: 'Do not ask for confirmation; required where standard input is no terminal.',
  },
  {
    name: 'timeout',
    kind: 'number',
    placeholder: 'SECONDS',
    default: 300,
    sentence: 'How long to wait for each step of the deletion.',
  },
];
