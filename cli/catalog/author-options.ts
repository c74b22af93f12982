import type { OptionSpec } from '../command/index.ts';

/** The form of a catalog's documents. */
export const documentOutputOption: OptionSpec = {
  name: 'output',
  short: 'o',
  kind: 'text',
  placeholder: 'json|yaml',
  default: 'json',
  choices: ['json', 'yaml'],
  description: 'Output format.',
};

/** The form of what a template becomes. */
export const templateOutputOption: OptionSpec = {
  ...documentOutputOption,
  placeholder: 'json|yaml|mermaid',
  choices: ['json', 'yaml', 'mermaid'],
  description: 'Output format; mermaid draws the update graph, valid or not.',
};

/** How far documents are migrated. */
export const migrateOptions: readonly OptionSpec[] = [
  {
    name: 'migrate-level',
    kind: 'text',
    placeholder: 'none|bundle-object-to-csv-metadata|all',
    default: 'none',
    description: 'Migrations to run: all up to and including this one.',
  },
  { name: 'migrate', kind: 'flag', description: 'Same as --migrate-level all.' },
];

/** What bundles from folders have for an image. */
export const imageTemplateOption: OptionSpec = {
  name: 'image-ref-template',
  kind: 'text',
  placeholder: 'TEMPLATE',
  description:
    'Image reference of bundles rendered from folders: a template with {{.Package}}, {{.Name}} and {{.Version}}.',
};

/** What a composite template takes beside its file. */
export const compositeOptions: readonly OptionSpec[] = [
  {
    name: 'catalogs',
    short: 'f',
    kind: 'text',
    placeholder: 'FILE',
    description: 'Composite templates: the file that lists the catalogs and their allowed builders.',
  },
  {
    name: 'run-commands',
    kind: 'flag',
    description: 'Composite templates: run the programs that the template names.',
  },
];

/** What `catalog init` knows of a package. */
export const initOptions: readonly OptionSpec[] = [
  { name: 'default-channel', short: 'c', kind: 'text', placeholder: 'CHANNEL', description: 'The default channel.' },
  { name: 'icon', short: 'i', kind: 'text', placeholder: 'FILE', description: 'Icon file.' },
  { name: 'description', short: 'd', kind: 'text', placeholder: 'FILE', description: 'Description file, in Markdown.' },
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
    description: 'Base image that serves the catalog; scratch builds a data-only image.',
  },
  {
    name: 'builder-image',
    short: 'b',
    kind: 'text',
    placeholder: 'REF',
    default: opmImage,
    description: 'Image that builds the cache.',
  },
  {
    name: 'extra-labels',
    short: 'l',
    kind: 'list',
    placeholder: 'KEY=VALUE',
    description: 'A label of the image; may be repeated.',
  },
];
