/** The form of a catalog's documents. */
export const documentOutputOption = {
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'json|yaml',
    default: 'json',
    choices: ['json', 'yaml'],
    description: 'Output format.',
  },
} as const;

/** The form of what a template becomes. */
export const templateOutputOption = {
  output: {
    short: 'o',
    kind: 'text',
    placeholder: 'json|yaml|mermaid',
    default: 'json',
    choices: ['json', 'yaml', 'mermaid'],
    description: 'Output format; mermaid draws the update graph, valid or not.',
  },
} as const;

/** How far documents are migrated. */
export const migrateOptions = {
  'migrate-level': {
    kind: 'text',
    placeholder: 'none|bundle-object-to-csv-metadata|all',
    default: 'none',
    description: 'Migrations to run: all up to and including this one.',
  },
  migrate: { kind: 'flag', default: false, description: 'Same as --migrate-level all.' },
} as const;

/** What bundles from folders have for an image. */
export const imageTemplateOption = {
  'image-ref-template': {
    kind: 'text',
    placeholder: 'TEMPLATE',
    description:
      'Image reference of bundles rendered from folders: a template with {{.Package}}, {{.Name}} and {{.Version}}.',
  },
} as const;

/** What a composite template takes beside its file. */
export const compositeOptions = {
  catalogs: {
    short: 'f',
    kind: 'text',
    placeholder: 'FILE',
    description: 'Composite templates: the file that lists the catalogs and their allowed builders.',
  },
  'run-commands': {
    kind: 'flag',
    description: 'Composite templates: run the programs that the template names.',
  },
} as const;

/** What `catalog init` knows of a package. */
export const initOptions = {
  'default-channel': { short: 'c', kind: 'text', placeholder: 'CHANNEL', description: 'The default channel.' },
  icon: { short: 'i', kind: 'text', placeholder: 'FILE', description: 'Icon file.' },
  description: { short: 'd', kind: 'text', placeholder: 'FILE', description: 'Description file, in Markdown.' },
} as const;

const opmImage = 'quay.io/operator-framework/opm:latest';

/** What a catalog image is made of. */
export const dockerfileOptions = {
  'base-image': {
    short: 'i',
    kind: 'text',
    placeholder: 'REF',
    default: opmImage as string,
    description: 'Base image that serves the catalog; scratch builds a data-only image.',
  },
  'builder-image': {
    short: 'b',
    kind: 'text',
    placeholder: 'REF',
    default: opmImage as string,
    description: 'Image that builds the cache.',
  },
  'extra-labels': {
    short: 'l',
    kind: 'list',
    placeholder: 'KEY=VALUE',
    description: 'A label of the image; may be repeated.',
  },
} as const;
