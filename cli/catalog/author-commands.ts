import { type Command, defineCommand, registryOptions } from '../command/index.ts';
import {
  compositeOptions,
  dockerfileOptions,
  documentOutputOption,
  imageTemplateOption,
  initOptions,
  migrateOptions,
  templateOutputOption,
} from './author-options.ts';
import { catalogOption, catalogsOption } from './options.ts';

const renderText =
  'A folder with manifests and metadata is a bundle. Any other folder, - and the URL of a served catalog are catalogs. Everything else is an image; its labels decide.';

/** The commands that make catalogs, in the order of `longshore --help`. */
export const authorCommands: readonly Command[] = [
  defineCommand({
    name: 'catalog init',
    summary: 'Print the olm.package document of a new catalog.',
    positionals: ['PACKAGE'],
    options: { ...initOptions, ...documentOutputOption },
    examples: [
      'catalog init tide-gauge -c stable',
      'catalog init tide-gauge -c stable -i icon.svg -d README.md -o yaml',
    ],
    run: async (values, positionals) => (await import('./commands/init.ts')).catalogInit(values, positionals),
  }),
  defineCommand({
    name: 'catalog render',
    summary: 'Render bundles and catalogs as the documents of one catalog.',
    description: `${renderText}\nProblems that make the result an invalid catalog are reported as warnings.`,
    positionals: ['DIR|REF|URL|-...'],
    catalogAt: 0,
    options: {
      catalog: {
        ...catalogsOption.catalog,
        placeholder: 'DIR|REF|URL|-',
        description: 'A bundle or catalog to render; may be repeated.',
      },
      ...documentOutputOption,
      ...migrateOptions,
      ...imageTemplateOption,
      ...registryOptions,
    },
    examples: [
      'catalog render ./tide-gauge/v1.0.0 --migrate -o yaml',
      'catalog render <registry>/tide-gauge-bundle:v1.0.0',
      'catalog render ./catalog <registry>/other-catalog:v4',
    ],
    run: async (values, positionals) => (await import('./commands/render.ts')).catalogRender(values, positionals),
  }),
  defineCommand({
    name: 'catalog template',
    summary: 'Render a catalog from a template.',
    description:
      'TYPE is basic, semver, substitutes or composite (default: from the schema of FILE). - is standard input. Bundles are images or folders. A result that is not a valid catalog is refused.\nA composite template writes its catalogs to the destinations in --catalogs and prints the file names.',
    positionals: ['TYPE|FILE', '[FILE]'],
    options: {
      ...templateOutputOption,
      ...migrateOptions,
      ...imageTemplateOption,
      ...compositeOptions,
      ...registryOptions,
    },
    examples: [
      'catalog template tide-gauge.yaml --migrate -o yaml',
      'catalog template semver tide-gauge.yaml',
      'catalog template composite contributions.yaml --catalogs catalogs.yaml -o yaml',
    ],
    run: async (values, positionals) => (await import('./commands/template.ts')).catalogTemplate(values, positionals),
  }),
  defineCommand({
    name: 'catalog convert-template',
    summary: 'Convert a catalog to a template that references bundles by image.',
    positionals: ['basic|substitutes', 'DIR|REF|URL|-'],
    catalogAt: 1,
    options: {
      catalog: { ...catalogOption.catalog, placeholder: 'DIR|REF|URL|-' },
      ...documentOutputOption,
      ...registryOptions,
    },
    examples: ['catalog convert-template basic ./catalog -o yaml'],
    run: async (values, positionals) =>
      (await import('./commands/convert-template.ts')).catalogConvertTemplate(values, positionals),
  }),
  defineCommand({
    name: 'catalog migrate',
    summary: 'Write a catalog without the manifests of its bundles (olm.csv.metadata instead of olm.bundle.object).',
    description: 'Writes a folder per package to OUTDIR.',
    positionals: ['DIR|REF|URL|-', 'OUTDIR'],
    catalogAt: 0,
    options: {
      catalog: { ...catalogOption.catalog, placeholder: 'DIR|REF|URL|-' },
      output: { ...documentOutputOption.output, default: 'yaml' },
      'migrate-level': { ...migrateOptions['migrate-level'], default: 'all' },
      ...registryOptions,
    },
    examples: ['catalog migrate <registry>/catalog:v4 ./catalog'],
    run: async (values, positionals) => (await import('./commands/migrate.ts')).catalogMigrate(values, positionals),
  }),
  defineCommand({
    name: 'catalog generate',
    summary: 'Write DIR.Dockerfile, which builds an image of the catalog in DIR.',
    description: 'An existing file is never overwritten.',
    positionals: ['dockerfile', 'DIR'],
    catalogAt: 1,
    options: {
      catalog: { ...catalogOption.catalog, placeholder: 'DIR', description: 'Folder of the catalog.' },
      ...dockerfileOptions,
    },
    examples: ['catalog generate dockerfile ./catalog', 'catalog generate dockerfile ./catalog -i scratch'],
    run: async (values, positionals) => (await import('./commands/generate.ts')).catalogGenerate(values, positionals),
  }),
];
