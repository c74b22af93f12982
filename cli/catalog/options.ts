import type { OptionSpec } from '../options.ts';

/** Where catalogs are, said in the help of every command that reads one. */
export const catalogText =
  'A catalog is named by a folder, a file of YAML or JSON documents, a tar, an OCI image layout (a folder or a tar), - for one of these on standard input, the address of a catalog that is served (https://HOST/catalogs/NAME), or the reference of a catalog image. Logins are those of container tools: --auth-file, REGISTRY_AUTH_FILE or ~/.docker/config.json, with its credential helpers.';

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
