/** Accepted so that scripts for rukpakctl continue to work; the Secret has the address of the server. */
export const uploadServiceOption = {
  'upload-service-name': {
    kind: 'text',
    placeholder: 'NAME',
    default: 'core',
    description: 'Ignored: uploads use the address in the Secret above.',
  },
} as const;

/** Of commands that wait. */
export const timeoutOption = {
  timeout: {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '5m',
    description: 'How long to wait.',
  },
} as const;

/** What `longshore run` makes, and of what. */
export const runOptions = {
  namespace: {
    short: 'n',
    kind: 'text',
    placeholder: 'NS',
    description: 'Namespace to install into (spec.config.installNamespace). Default: what the bundle suggests.',
  },
  'watch-namespace': {
    kind: 'list',
    placeholder: 'NS',
    description: 'Namespace that the operator watches; may be repeated. Default: all, where the bundle supports that.',
  },
  'service-account': {
    kind: 'text',
    placeholder: 'NAMESPACE/NAME',
    description: 'Service account that installs the content (spec.config.serviceAccount).',
  },
  config: {
    kind: 'text',
    placeholder: 'FILE',
    description: 'YAML file with the fields of spec.config; the options above override it.',
  },
  branch: { kind: 'text', placeholder: 'NAME', description: 'Branch of a git repository. Default: its HEAD.' },
  tag: { kind: 'text', placeholder: 'NAME', description: 'Tag of a git repository.' },
  commit: { kind: 'text', placeholder: 'HASH', description: 'Commit of a git repository, its full hash.' },
  directory: {
    kind: 'text',
    placeholder: 'PATH',
    description: 'Directory of the bundle in the git repository.',
  },
  secret: {
    kind: 'text',
    placeholder: 'NAME',
    description: 'Secret of the system namespace with the credentials for the image, repository or URL.',
  },
  'bundle-provisioner-class': {
    kind: 'text',
    placeholder: 'CLASS',
    description: 'Provisioner class of the Bundle. Default: the class of the detected format.',
  },
  'bundle-deployment-provisioner-class': {
    kind: 'text',
    placeholder: 'CLASS',
    default: 'core-rukpak-io-plain',
    description: 'Provisioner class of the BundleDeployment.',
  },
  validate: {
    kind: 'flag',
    description: 'Validate the bundle before it is uploaded or applied (default: true; false as rukpakctl).',
  },
  wait: {
    kind: 'flag',
    description: 'Wait until the content is installed and healthy (default: true; false as rukpakctl).',
  },
} as const;

/** What `longshore delete` takes beside the cluster. */
export const deleteOptions = {
  wait: { kind: 'flag', default: true, description: 'Return without waiting for the deletion.' },
} as const;

/** What `longshore rollback` takes beside the cluster. */
export const rollbackOptions = {
  to: {
    kind: 'number',
    placeholder: 'REVISION',
    range: [1, 9_007_199_254_740_991],
    description: 'Revision to roll back to. Default: the previous one.',
  },
  wait: { kind: 'flag', default: true, description: 'Return without waiting for the installation.' },
} as const;

/** What `longshore diff` compares with. */
export const diffOptions = {
  bundle: {
    kind: 'text',
    placeholder: 'DIR|LAYOUT',
    description: 'Compare with the files of a folder or an OCI image layout.',
  },
  image: { kind: 'text', placeholder: 'REF', description: 'Compare with an image or artifact.' },
  filename: {
    short: 'f',
    kind: 'text',
    placeholder: 'FILE',
    description: 'Compare with the template of the BundleDeployment in FILE.',
  },
} as const;

/** What `longshore operator migrate` takes beside the cluster. */
export const migrateOptions = {
  namespace: {
    short: 'n',
    kind: 'text',
    placeholder: 'NAME',
    default: 'operators',
    description: 'Namespace of the Subscription (not with --to Subscription: it is that of the operator).',
  },
  to: {
    kind: 'text',
    choices: ['BundleDeployment', 'PlatformOperator', 'ClusterExtension', 'Subscription'],
    placeholder: 'KIND',
    description: 'What the operator becomes (default: BundleDeployment).',
  },
  name: {
    kind: 'text',
    placeholder: 'NAME',
    description: 'Name of the BundleDeployment, and of the PlatformOperator (default: the package).',
  },
  catalog: {
    kind: 'text',
    placeholder: 'NAME',
    description:
      'ClusterCatalog that the PlatformOperator or ClusterExtension follows (default: the one with the image of the CatalogSource; of a ClusterExtension, all); CatalogSource of the Subscription (default: the only one that has the bundle).',
  },
  image: {
    kind: 'text',
    placeholder: 'REF',
    description: 'Image of the installed bundle (default: the one that the InstallPlan names).',
  },
  'dry-run': {
    kind: 'flag',
    default: false,
    description: 'Show what would change, and change nothing.',
  },
  yes: {
    short: 'y',
    kind: 'flag',
    default: false,
    description: 'Skip the confirmation prompt; required if standard input is not a terminal.',
  },
} as const;
