/** How a release is requested. */
export const upgradeOptions = {
  to: {
    kind: 'text',
    placeholder: 'VERSION',
    description: 'Update to this version, one of the available updates.',
  },
  'to-image': { kind: 'text', placeholder: 'IMAGE', description: 'Update to this release image, by digest.' },
  'to-latest': { kind: 'flag', default: false, description: 'Update to the highest available version.' },
  'to-multi-arch': {
    kind: 'flag',
    default: false,
    description: 'Update to the release of the same version for several architectures.',
  },
  clear: { kind: 'flag', default: false, description: 'Withdraw a request that was not accepted yet.' },
  'include-not-recommended': {
    kind: 'flag',
    default: false,
    description: 'Show updates with risks that apply, or may apply, to this cluster.',
  },
  'allow-not-recommended': {
    kind: 'flag',
    default: false,
    description: 'Accept the risks of the requested update.',
  },
  'allow-explicit-upgrade': {
    kind: 'flag',
    default: false,
    description: 'Accept an image of --to-image that is not one of the available updates.',
  },
  'allow-upgrade-with-warnings': {
    kind: 'flag',
    default: false,
    description: 'Request the update although the cluster is failing, or already updates.',
  },
  force: {
    kind: 'flag',
    default: false,
    description: 'Let the cluster continue in spite of a failed verification of the image and failed preconditions.',
  },
  'dry-run': {
    kind: 'text',
    placeholder: 'none|client|server',
    default: 'none',
    choices: ['none', 'client', 'server'],
    description:
      'Check the request alone, without a write (client) or by the API server (server), and show the objects that the release changes.',
  },
  'release-image': {
    kind: 'list',
    placeholder: 'IMAGE=PLACE',
    description:
      'Read the release IMAGE for --dry-run from a folder, a tar or another image instead of its registry; may be repeated.',
  },
  wait: { kind: 'flag', default: false, description: 'Wait until the update is completed.' },
  timeout: { kind: 'duration', placeholder: 'DURATION', default: '3h', description: 'How long --wait waits.' },
} as const;

/** What `upgrade status` shows in detail. */
export const statusOptions = {
  details: {
    kind: 'text',
    placeholder: 'none|all|nodes|health|operators',
    default: 'none',
    choices: ['none', 'all', 'nodes', 'health', 'operators'],
    description: 'Show this section in detail.',
  },
} as const;

/** Which updates `upgrade recommend` explains. */
export const recommendOptions = {
  version: { kind: 'text', placeholder: 'VERSION', description: 'Explain this update alone.' },
  'show-outdated-releases': {
    kind: 'flag',
    default: false,
    description: 'Show older releases of each minor version, too.',
  },
  accept: {
    kind: 'list',
    placeholder: 'NAME,...',
    description: 'Issues that are accepted: with --version others give exit status 2; may be repeated.',
  },
  quiet: { kind: 'flag', default: false, description: 'With --version, print the issues alone that are not accepted.' },
} as const;

/** How a channel is changed. */
export const channelOptions = {
  'allow-explicit-channel': {
    kind: 'flag',
    default: false,
    description: 'Accept a channel that does not list the release of the cluster.',
  },
} as const;

/** How accepted risks are changed. */
export const acceptOptions = {
  replace: { kind: 'flag', default: false, description: 'Accept the named risks and no others.' },
  clear: { kind: 'flag', default: false, description: 'Accept no risk.' },
} as const;
