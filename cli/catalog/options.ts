import type { OptionSpec } from '../command/index.ts';

/** How to name a catalog, for the help of every command that reads one. */
export const catalogText =
  'A catalog is a folder, a file of YAML or JSON documents, a tar, an OCI image layout (a folder or a tar), - for standard input, the URL of a served catalog (https://HOST/catalogs/NAME) or of an operator registry (grpc://HOST:PORT), or the reference of a catalog image. Registry credentials are read from --auth-file, REGISTRY_AUTH_FILE or ~/.docker/config.json, with its credential helpers.';

/** What `catalog list` prints. */
export const listOutputOption: OptionSpec = {
  name: 'output',
  short: 'o',
  kind: 'text',
  placeholder: 'table|json|yaml',
  default: 'table',
  choices: ['table', 'json', 'yaml'],
  description: 'Output format.',
};

/** The catalog that a command reads. */
export const catalogOption: OptionSpec = {
  name: 'catalog',
  kind: 'text',
  placeholder: 'DIR|FILE|REF|URL|-',
  description: 'The catalog to read.',
};

/** The catalogs that a command reads, in their order. */
export const catalogsOption: OptionSpec = {
  ...catalogOption,
  kind: 'list',
  description: 'A catalog to read; may be repeated.',
};

/** Options of `catalog path`. */
export const pathOptions: readonly OptionSpec[] = [
  catalogOption,
  {
    name: 'from',
    kind: 'text',
    placeholder: 'VERSION',
    description: 'Installed version or bundle name (default: the bundle that would be installed first).',
  },
  {
    name: 'to',
    kind: 'text',
    placeholder: 'VERSION',
    description: 'Target version or bundle name (default: the latest reachable).',
  },
  {
    name: 'channel',
    kind: 'text',
    placeholder: 'CHANNEL',
    description:
      'Use only this channel (default: all channels of the package; with policy v0 the default channel first).',
  },
  {
    name: 'policy',
    kind: 'text',
    placeholder: 'v0|v1',
    default: 'v1',
    choices: ['v0', 'v1'],
    description:
      'Update semantics: the classic Operator Lifecycle Manager (v0), or OLM v1 and platform operators (v1).',
  },
];

/** What `longshore catalog prune` keeps. */
export const pruneOptions: readonly OptionSpec[] = [
  {
    name: 'keep-package',
    kind: 'list',
    placeholder: 'NAME[:CHANNEL]...',
    description: 'Package to retain, whole or with these channels (NAME:CHANNEL:CHANNEL); may be repeated.',
  },
  {
    name: 'min-version',
    kind: 'list',
    placeholder: 'NAME:VERSION',
    description:
      'Retain this and later versions of the package, and the bundles that its channels need to stay valid; may be repeated.',
  },
  { name: 'heads-only', kind: 'flag', description: 'Retain only the head of each channel.' },
  {
    name: 'default-channel',
    kind: 'list',
    placeholder: 'NAME:CHANNEL',
    description:
      'Default channel of the package (default: unchanged, or the retained channel with the newest head); may be repeated.',
  },
  {
    name: 'with-dependencies',
    kind: 'flag',
    description:
      'Also retain, whole, the packages that retained packages depend on. By default missing dependencies are only reported.',
  },
  {
    name: 'to',
    kind: 'text',
    placeholder: 'DIR',
    description: 'Write one file per package to a new or empty folder (default: standard output).',
  },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'yaml|json',
    default: 'yaml',
    choices: ['yaml', 'json'],
    description: 'Output format.',
  },
];

/** How `longshore catalog diff` ends. */
export const diffCatalogOptions: readonly OptionSpec[] = [
  { name: 'exit-code', kind: 'flag', description: 'Exit with status 1 if the catalogs differ.' },
];
