import type { OptionSpec } from '../command/index.ts';

/** The form of a catalog's documents. */
export const documentOutputOption: OptionSpec = {
  name: 'output',
  short: 'o',
  kind: 'text',
  placeholder: 'json|yaml',
  default: 'json',
  choices: ['json', 'yaml'],
  sentence: 'The form of the documents.',
};

/** The form of what a template becomes. */
export const templateOutputOption: OptionSpec = {
  ...documentOutputOption,
  placeholder: 'json|yaml|mermaid',
  choices: ['json', 'yaml', 'mermaid'],
  sentence: 'The form of the documents; or the update graph for mermaid, be it valid or not.',
};

/** How far documents are migrated. */
export const migrateOptions: readonly OptionSpec[] = [
  {
    name: 'migrate-level',
    kind: 'text',
    placeholder: 'none|bundle-object-to-csv-metadata|all',
    default: 'none',
    sentence: 'Migrations that are done: all up to and including the named one.',
  },
  { name: 'migrate', kind: 'flag', sentence: 'The same as --migrate-level all.' },
];

/** What bundles from folders have for an image. */
export const imageTemplateOption: OptionSpec = {
  name: 'image-ref-template',
  kind: 'text',
  placeholder: 'TEMPLATE',
  sentence: 'Image of bundles that come from folders: a reference with {{.Package}}, {{.Name}} and {{.Version}} in it.',
};

/** What a composite template takes beside its file. */
export const compositeOptions: readonly OptionSpec[] = [
  {
    name: 'catalogs',
    short: 'f',
    kind: 'text',
    placeholder: 'FILE',
    sentence: 'Of a composite template: the file that says where catalogs are and what may build them.',
  },
  {
    name: 'run-commands',
    kind: 'flag',
    sentence: 'Of a composite template: run the programs that it names.',
  },
];

/** What `catalog init` knows of a package. */
export const initOptions: readonly OptionSpec[] = [
  { name: 'default-channel', short: 'c', kind: 'text', placeholder: 'CHANNEL', sentence: 'The default channel.' },
  { name: 'icon', short: 'i', kind: 'text', placeholder: 'FILE', sentence: 'An image for user interfaces.' },
  { name: 'description', short: 'd', kind: 'text', placeholder: 'FILE', sentence: 'A description, in Markdown.' },
  { ...documentOutputOption },
];

const opmImage = 'quay.io/operator-framework/opm:latest';

/** What a catalog image is made of. */
export const dockerfileOptions: readonly OptionSpec[] = [
  {
    name: 'base-image',
    short: 'i',
    kind: 'text',
    placeholder: 'REF',
    default: opmImage,
    sentence: 'Image that serves the catalog; scratch: the image has data only.',
  },
  {
    name: 'builder-image',
    short: 'b',
    kind: 'text',
    placeholder: 'REF',
    default: opmImage,
    sentence: 'Image that builds the cache.',
  },
  {
    name: 'extra-labels',
    short: 'l',
    kind: 'list',
    placeholder: 'KEY=VALUE',
    sentence: 'A label of the image; may be repeated.',
  },
];
