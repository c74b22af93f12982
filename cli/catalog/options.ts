/** How to name a catalog, for the help of every command that reads one. */
export const catalogText =
  'A catalog is a folder, a file of YAML or JSON documents, a tar, an OCI image layout (a folder or a tar), - for standard input, the URL of a served catalog (https://HOST/catalogs/NAME) or of an operator registry (grpc://HOST:PORT), or the reference of a catalog image. Registry credentials are read from --auth-file, REGISTRY_AUTH_FILE or ~/.docker/config.json, with its credential helpers.';

/** What `catalog list` prints. */
export const listOutputOption = {
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'table|json|yaml',
    default: 'table',
    choices: ['table', 'json', 'yaml'],
    description: 'Output format.',
  },
} as const;

/** The catalog that a command reads. */
export const catalogOption = {
  catalog: {
    kind: 'text',
    placeholder: 'DIR|FILE|REF|URL|-',
    description: 'The catalog to read.',
  },
} as const;

/** The catalogs that a command reads, in their order. */
export const catalogsOption = {
  catalog: {
    kind: 'list',
    placeholder: 'DIR|FILE|REF|URL|-',
    description: 'A catalog to read; may be repeated.',
  },
} as const;

/** Options of `catalog path`. */
export const pathOptions = {
  from: {
    kind: 'text',
    placeholder: 'VERSION',
    description: 'Installed version or bundle name (default: the bundle that would be installed first).',
  },
  to: {
    kind: 'text',
    placeholder: 'VERSION',
    description: 'Target version or bundle name (default: the latest reachable).',
  },
  channel: {
    kind: 'text',
    placeholder: 'CHANNEL',
    description:
      'Use only this channel (default: all channels of the package; with policy v0 the default channel first).',
  },
  policy: {
    kind: 'text',
    placeholder: 'v0|v1',
    default: 'v1',
    choices: ['v0', 'v1'],
    description:
      'Update semantics: the classic Operator Lifecycle Manager (v0), or OLM v1 and platform operators (v1).',
  },
} as const;

/** What `longshore catalog prune` keeps. */
export const pruneOptions = {
  'keep-package': {
    kind: 'list',
    placeholder: 'NAME[:CHANNEL]...',
    description: 'Package to retain, whole or with these channels (NAME:CHANNEL:CHANNEL); may be repeated.',
  },
  'min-version': {
    kind: 'list',
    placeholder: 'NAME:VERSION',
    description:
      'Retain this and later versions of the package, and the bundles that its channels need to stay valid; may be repeated.',
  },
  'heads-only': { kind: 'flag', description: 'Retain only the head of each channel.' },
  'default-channel': {
    kind: 'list',
    placeholder: 'NAME:CHANNEL',
    description:
      'Default channel of the package (default: unchanged, or the retained channel with the newest head); may be repeated.',
  },
  'with-dependencies': {
    kind: 'flag',
    description:
      'Also retain, whole, the packages that retained packages depend on. By default missing dependencies are only reported.',
  },
  to: {
    kind: 'text',
    placeholder: 'DIR',
    description: 'Write one file per package to a new or empty folder (default: standard output).',
  },
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'yaml|json',
    default: 'yaml',
    choices: ['yaml', 'json'],
    description: 'Output format.',
  },
} as const;

/** How `longshore catalog diff` ends. */
export const diffCatalogOptions = {
  'exit-code': { kind: 'flag', description: 'Exit with status 1 if the catalogs differ.' },
} as const;
