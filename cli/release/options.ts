/** What a release is built from. */
export const componentOptions = {
  version: { kind: 'text', placeholder: 'VERSION', description: 'Version of the release (required).' },
  component: {
    kind: 'list',
    placeholder: 'NAME=DIR|IMAGE',
    description: 'Add a component: a folder of manifests, or an image with them in /manifests; may be repeated.',
  },
  engine: {
    kind: 'text',
    placeholder: 'NAME',
    default: 'cluster-version-operator',
    description: 'Component whose manifests are templates, applied before those of all others.',
  },
  image: {
    kind: 'list',
    placeholder: 'NAME=IMAGE@DIGEST',
    description: 'Pull spec of an image that a file image-references names; may be repeated.',
  },
  images: {
    kind: 'text',
    placeholder: 'FILE',
    description: 'File of such pull specs: an ImageStream, or a mapping from names to pull specs.',
  },
  'component-version': {
    kind: 'list',
    placeholder: 'KEY=VERSION',
    description: 'Version that replaces 0.0.1-snapshot-KEY; may be repeated.',
  },
} as const;

/** What the file release-metadata of a release has beside its version. */
export const releaseMetadataOptions = {
  previous: {
    kind: 'list',
    placeholder: 'VERSION',
    description: 'Version from which an update is recommended; may be repeated.',
  },
  channel: { kind: 'list', placeholder: 'NAME', description: 'Channel of the release; may be repeated.' },
  url: { kind: 'text', placeholder: 'URL', description: 'Page with notes about the release.' },
  multi: { kind: 'flag', default: false, description: 'The release runs on several architectures.' },
} as const;

/** A folder that a release goes to. */
export const releaseFolderOption = {
  to: { kind: 'text', placeholder: 'DIR', description: 'Write the files to a new or empty folder.' },
} as const;

/** What `longshore release extract` writes. */
export const extractOptions = {
  to: { kind: 'text', placeholder: 'DIR', description: 'Write the files to a new or empty folder.' },
  file: { kind: 'text', placeholder: 'NAME', description: 'Print one file.' },
  included: {
    kind: 'flag',
    default: false,
    description: 'Only manifests that a cluster of --profile, --feature-set and --feature-gate loads.',
  },
} as const;

/** What `longshore release diff` shows. */
export const diffOptions = {
  included: {
    kind: 'flag',
    default: false,
    description: 'Only manifests that a cluster of --profile, --feature-set and --feature-gate loads.',
  },
  all: {
    kind: 'flag',
    default: false,
    description: 'Also show where only the version or the digest of an image differs.',
  },
  'exit-code': { kind: 'flag', default: false, description: 'Exit with status 1 when the releases differ.' },
} as const;

/** How `longshore release tasks` sees a release. */
export const taskOptions = {
  mode: {
    kind: 'text',
    placeholder: 'MODE',
    default: 'updating',
    choices: ['initializing', 'updating', 'reconciling'],
    description: 'First installation, update from another release, or reconciliation.',
  },
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'text|json|svg',
    default: 'text',
    choices: ['text', 'json', 'svg'],
    description: 'Output format.',
  },
} as const;

/** Which manifests of a release a cluster loads. */
export const inclusionOptions = {
  profile: {
    kind: 'text',
    placeholder: 'NAME',
    default: 'self-managed-high-availability',
    description: 'Cluster profile.',
  },
  'feature-set': { kind: 'text', placeholder: 'NAME', default: 'Default', description: 'Feature set of the cluster.' },
  'feature-gate': { kind: 'list', placeholder: 'NAME', description: 'Enabled feature gate; may be repeated.' },
} as const;
