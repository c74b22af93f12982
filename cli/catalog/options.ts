import type { OptionSpec } from '../options.ts';

/** Where catalogs are, said in the help of every command that reads one. */
export const catalogText = 'Takes the folder of a catalog.';

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
