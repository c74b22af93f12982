import { type Command, registryOptions } from '../command/index.ts';
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
  'A folder with manifests and metadata is a bundle, any other folder a catalog, and so are - and the address of a catalog that is served; everything else is an image, whose labels say what it is.';

/** The commands that make catalogs, in the order of `longshore --help`. */
export const authorCommands: readonly Command[] = [
  {
    name: 'catalog init',
    summary: 'Print the olm.package that a catalog begins with.',
    positionals: ['PACKAGE'],
    options: initOptions,
    examples: [
      'catalog init tide-gauge -c stable',
      'catalog init tide-gauge -c stable -i icon.svg -d README.md -o yaml',
    ],
    run: async (values, positionals) => (await import('./commands/init.ts')).catalogInit(values, positionals),
  },
  {
    name: 'catalog render',
    summary: 'Print bundles and catalogs as the documents of one catalog.',
    description: `${renderText}\nWhat keeps the documents from being a valid catalog is told and does not matter.`,
    positionals: ['DIR|REF|URL|-...'],
    catalogAt: 0,
    options: [
      { ...catalogsOption, placeholder: 'DIR|REF|URL|-', sentence: 'A bundle or catalog to render; may be repeated.' },
      documentOutputOption,
      ...migrateOptions,
      imageTemplateOption,
      ...registryOptions,
    ],
    examples: [
      'catalog render ./tide-gauge/v1.0.0 --migrate -o yaml',
      'catalog render <registry>/tide-gauge-bundle:v1.0.0',
      'catalog render ./catalog <registry>/other-catalog:v4',
    ],
    run: async (values, positionals) => (await import('./commands/render.ts')).catalogRender(values, positionals),
  },
  {
    name: 'catalog template',
    summary: 'Print the catalog that a template becomes, its bundles rendered.',
    description:
      'TYPE is basic, semver, substitutes or composite; without it the schema of FILE decides. - is standard input. Bundles are images or folders. What is no valid catalog is refused.\nA composite template is written to where --catalogs says, and the names of the files are printed.',
    positionals: ['TYPE|FILE', '[FILE]'],
    options: [templateOutputOption, ...migrateOptions, imageTemplateOption, ...compositeOptions, ...registryOptions],
    examples: [
      'catalog template tide-gauge.yaml --migrate -o yaml',
      'catalog template semver tide-gauge.yaml',
      'catalog template composite contributions.yaml --catalogs catalogs.yaml -o yaml',
    ],
    run: async (values, positionals) => (await import('./commands/template.ts')).catalogTemplate(values, positionals),
  },
  {
    name: 'catalog convert-template',
    summary: 'Print a catalog as a template: bundles shrink to their images.',
    positionals: ['basic|substitutes', 'DIR|REF|URL|-'],
    catalogAt: 1,
    options: [{ ...catalogOption, placeholder: 'DIR|REF|URL|-' }, documentOutputOption, ...registryOptions],
    examples: ['catalog convert-template basic ./catalog -o yaml'],
    run: async (values, positionals) =>
      (await import('./commands/convert-template.ts')).catalogConvertTemplate(values, positionals),
  },
  {
    name: 'catalog migrate',
    summary: 'Write a catalog without the manifests of its bundles: what user interfaces need of them stays.',
    description: 'OUTDIR gets a folder for each package.',
    positionals: ['DIR|REF|URL|-', 'OUTDIR'],
    catalogAt: 0,
    options: [
      { ...catalogOption, placeholder: 'DIR|REF|URL|-' },
      { ...documentOutputOption, default: 'yaml' },
      ...migrateOptions.filter(({ kind }) => kind === 'text').map((option) => ({ ...option, default: 'all' })),
      ...registryOptions,
    ],
    examples: ['catalog migrate <registry>/catalog:v4 ./catalog'],
    run: async (values, positionals) => (await import('./commands/migrate.ts')).catalogMigrate(values, positionals),
  },
  {
    name: 'catalog generate',
    summary: 'Write DIR.Dockerfile, which makes an image of the catalog in DIR.',
    description: 'A file that is there is never written over.',
    positionals: ['dockerfile', 'DIR'],
    catalogAt: 1,
    options: [{ ...catalogOption, placeholder: 'DIR', sentence: 'The folder of the catalog.' }, ...dockerfileOptions],
    examples: ['catalog generate dockerfile ./catalog', 'catalog generate dockerfile ./catalog -i scratch'],
    run: async (values, positionals) => (await import('./commands/generate.ts')).catalogGenerate(values, positionals),
  },
];
