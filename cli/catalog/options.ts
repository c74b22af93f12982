import type { OptionSpec } from '../command/index.ts';

/** Where catalogs are, said in the help of every command that reads one. */
export const catalogText =
  'A catalog is named by a folder, a file of YAML or JSON documents, a tar, an OCI image layout (a folder or a tar), - for one of these on standard input, the address of a catalog that is served (https://HOST/catalogs/NAME) or of an operator registry (grpc://HOST:PORT), or the reference of a catalog image. Logins are those of container tools: --auth-file, REGISTRY_AUTH_FILE or ~/.docker/config.json, with its credential helpers.';

/** What `catalog list` prints. */
export const listOutputOption: OptionSpec = {
  name: 'output',
  short: 'o',
  kind: 'text',
  placeholder: 'table|json|yaml',
  default: 'table',
  choices: ['table', 'json', 'yaml'],
  sentence: 'A table for people, or a form for programs.',
};

/** The catalog that a command reads. */
export const catalogOption: OptionSpec = {
  name: 'catalog',
  kind: 'text',
  placeholder: 'DIR|FILE|REF|URL|-',
  sentence: 'The catalog to read.',
};

/** The catalogs that a command reads, in their order. */
export const catalogsOption: OptionSpec = {
  ...catalogOption,
  kind: 'list',
  sentence: 'A catalog to read; may be repeated.',
};

/** Options of `catalog path`. */
export const pathOptions: readonly OptionSpec[] = [
  catalogOption,
  {
    name: 'from',
    kind: 'text',
    placeholder: 'VERSION',
    sentence: 'What is installed, a version or the name of a bundle; without it: what would be installed first.',
  },
  {
    name: 'to',
    kind: 'text',
    placeholder: 'VERSION',
    sentence: 'Where updates should lead, a version or the name of a bundle; without it: as far as they go.',
  },
  {
    name: 'channel',
    kind: 'text',
    placeholder: 'CHANNEL',
    sentence: 'The channel to keep to; without it all of the package, with policy v0 the default one first.',
  },
  {
    name: 'policy',
    kind: 'text',
    placeholder: 'v0|v1',
    default: 'v1',
    choices: ['v0', 'v1'],
    sentence: 'Who updates: the classic Operator Lifecycle Manager (v0), or its successor and platform operators (v1).',
  },
];

/** What `longshore catalog prune` keeps. */
export const pruneOptions: readonly OptionSpec[] = [
  {
    name: 'keep-package',
    kind: 'list',
    placeholder: 'NAME[:CHANNEL]...',
    sentence: 'Package that stays, whole or with these channels (NAME:CHANNEL:CHANNEL); may be repeated.',
  },
  {
    name: 'min-version',
    kind: 'list',
    placeholder: 'NAME:VERSION',
    sentence:
      'Of that package, keep this version and later ones, and what channels need to stay valid; may be repeated.',
  },
  { name: 'heads-only', kind: 'flag', sentence: 'Of every channel, keep the newest bundle alone.' },
  {
    name: 'default-channel',
    kind: 'list',
    placeholder: 'NAME:CHANNEL',
    sentence:
      'Default channel of that package (default: as it was, or the kept channel with the newest head); may be repeated.',
  },
  {
    name: 'with-dependencies',
    kind: 'flag',
    sentence: 'Keep also the packages that the kept ones need, whole; else it is only told what is missing.',
  },
  {
    name: 'to',
    kind: 'text',
    placeholder: 'DIR',
    sentence: 'Write a folder that is new or empty, with a file for each package (default: standard output).',
  },
  {
    name: 'output',
    short: 'o',
    kind: 'text',
    placeholder: 'yaml|json',
    default: 'yaml',
    choices: ['yaml', 'json'],
    sentence: 'How documents are written.',
  },
];

/** How `longshore catalog diff` ends. */
export const diffCatalogOptions: readonly OptionSpec[] = [
  { name: 'exit-code', kind: 'flag', sentence: 'Exit with 1 when there is a difference.' },
];
