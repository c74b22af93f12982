/** Where the Subscription is. */
export const operatorNamespaceOption = {
  namespace: {
    short: 'n',
    kind: 'text',
    placeholder: 'NAME',
    default: 'operators',
    description: 'Namespace of the operator.',
  },
} as const;

/** As the plug-in of kubectl has it. */
export const allNamespacesOption = {
  'all-namespaces': { short: 'A', kind: 'flag', default: false, description: 'All namespaces, even with --namespace.' },
} as const;

/** How long to wait. */
export const operatorTimeoutOption = {
  timeout: {
    kind: 'duration',
    placeholder: 'DURATION',
    default: '5m',
    range: ['1s', '24h'],
    description: 'How long to wait.',
  },
} as const;

/** Whether to ask. */
export const yesOption = {
  yes: {
    short: 'y',
    kind: 'flag',
    default: false,
    description: 'Skip the confirmation prompt; required if standard input is not a terminal.',
  },
} as const;

/** What `longshore operator list-available` takes beside the cluster. */
export const availableOptions = {
  catalog: {
    short: 'c',
    kind: 'text',
    placeholder: '[NAMESPACE/]NAME',
    description: 'Only packages of this CatalogSource.',
  },
  namespace: {
    short: 'n',
    kind: 'text',
    placeholder: 'NAME',
    default: 'operators',
    description: 'Namespace whose packages are listed: those of its own CatalogSources and of the global ones.',
  },
} as const;

/** What `longshore operator install` takes beside the cluster. */
export const installOperatorOptions = {
  config: {
    kind: 'text',
    placeholder: 'FILE',
    description: 'YAML file with the configuration of the Deployments of the operator (spec.config).',
  },
  channel: {
    kind: 'text',
    placeholder: 'CHANNEL',
    description: 'Channel to follow (default: the default channel of the package).',
  },
  version: {
    short: 'v',
    kind: 'text',
    placeholder: 'VERSION',
    description: 'Version to install first; with --approval Manual it stays (default: the newest one of the channel).',
  },
  approval: {
    kind: 'text',
    placeholder: 'Automatic|Manual',
    default: 'Automatic',
    choices: ['Automatic', 'Manual'],
    description: 'Whether upgrades are installed without approval.',
  },
  catalog: {
    short: 'c',
    kind: 'text',
    placeholder: '[NAMESPACE/]NAME',
    description: 'CatalogSource to install from; required if several have the package.',
  },
  'watch-namespace': {
    kind: 'list',
    placeholder: 'NAME',
    description:
      'Namespace that the operators of a new OperatorGroup watch; may be repeated (default: the namespace of the operator). Ignored if there is an OperatorGroup.',
  },
  'all-namespaces': {
    short: 'A',
    kind: 'flag',
    default: false,
    description: 'The operators of a new OperatorGroup watch all namespaces.',
  },
} as const;

/** What `longshore operator uninstall` takes beside the cluster. */
export const uninstallOperatorOptions = {
  'delete-crds': {
    kind: 'flag',
    default: false,
    description:
      'Delete the CustomResourceDefinitions that were installed for this operator alone as well, and with them all custom resources. By default both stay.',
  },
} as const;

/** What `longshore operator catalog add` takes beside the cluster. */
export const addCatalogOptions = {
  namespace: {
    short: 'n',
    kind: 'text',
    placeholder: 'NAME',
    default: 'olm',
    description: 'Namespace of the CatalogSource; those of the namespace "olm" are visible in all namespaces.',
  },
  'display-name': { kind: 'text', placeholder: 'TEXT', description: 'Name of the catalog in lists and consoles.' },
  publisher: { kind: 'text', placeholder: 'TEXT', description: 'Publisher of the catalog.' },
  poll: {
    kind: 'duration',
    placeholder: 'DURATION',
    range: ['30s', '168h'],
    description: 'How often to look for a new image behind the tag (default: never).',
  },
  address: {
    kind: 'flag',
    default: false,
    description: 'The argument is the HOST:PORT of a catalog that is served over gRPC, not an image.',
  },
} as const;

/** What `longshore operator run` takes beside the cluster and the registry. */
export const runOperatorOptions = {
  'push-to': {
    kind: 'text',
    placeholder: 'HOST/PATH',
    default: '127.0.0.1:15000/run',
    description: 'Where the image of the catalog is pushed; by default to the registry of longshore up.',
  },
  'watch-namespace': {
    kind: 'list',
    placeholder: 'NAME',
    description:
      'Namespace that the operators of a new OperatorGroup watch; may be repeated (default: the namespace of the operator, or all if it supports nothing else).',
  },
} as const;
