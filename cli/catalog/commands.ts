/** Commands about catalogs of operators. Each loads what it needs when it runs.
 *  @imports cli/catalog-files, cli/oci, cli/input, cli/process, cli/output, cli/command, src/catalog,
 *    src/sources, src/resolver, src/content, src/constraints, src/api, src/base */
import {
  type Command,
  defineCommand,
  documentOption,
  outputOption,
  processLogOption,
  registryOptions,
} from '../command/index.ts';
import { authorCommands } from './author-commands.ts';
import { graphOptions } from './graph/options.ts';
import {
  catalogOption,
  catalogsOption,
  catalogText,
  diffCatalogOptions,
  listOutputOption,
  pathOptions,
  pruneOptions,
} from './options.ts';
import { resolveOptions } from './resolve-options.ts';
import { serveOptions } from './serve/options.ts';
import { validateOptions } from './validate/options.ts';

/** The commands about catalogs, in the order of `longshore --help`. */
export const catalogCommands: readonly Command[] = [
  defineCommand({
    name: 'catalog list',
    summary: 'List the packages, channels, bundles or images of a catalog.',
    description: `${catalogText}\nExit status: 0 success, 1 part of the catalog cannot be read; the rest is listed.`,
    positionals: ['packages|channels|bundles|images', 'DIR|FILE|REF|URL|-', '[PACKAGE]'],
    catalogAt: 1,
    options: { ...catalogOption, ...listOutputOption, ...registryOptions },
    examples: ['catalog list packages ./catalog', 'catalog list bundles ./catalog tide-gauge -o json'],
    run: async (values, positionals) => (await import('./commands/list.ts')).catalogList(values, positionals),
  }),
  defineCommand({
    name: 'catalog describe',
    summary: 'Describe the packages of a catalog: what they are, their channels, and what their heads declare.',
    description: `Without PACKAGE all packages with their default channels; with it, one package with all channels. ${catalogText}`,
    positionals: ['DIR|FILE|REF|URL|-', '[PACKAGE]'],
    catalogAt: 0,
    options: { ...catalogOption, ...documentOption, ...registryOptions },
    examples: ['catalog describe ./catalog', 'catalog describe <registry>/catalog:v4.18 tide-gauge -o json'],
    run: async (values, positionals) => (await import('./commands/describe.ts')).catalogDescribe(values, positionals),
  }),
  defineCommand({
    name: 'catalog path',
    summary: 'Show the available updates of a version, why each is possible, and what blocks others.',
    description: `${catalogText}\nExit status: 0 success, 1 no update path to the version of --to, 2 failure.`,
    positionals: ['PACKAGE'],
    options: { ...catalogOption, ...pathOptions, ...outputOption, ...registryOptions },
    examples: [
      'catalog path tide-gauge --catalog ./catalog --from 1.0.0',
      'catalog path tide-gauge --catalog ./catalog --from 1.0.0 --to 2.0.0 --channel stable --policy v0',
    ],
    failureStatus: 2,
    run: async (values, positionals) => (await import('./commands/path.ts')).catalogPath(values, positionals),
  }),
  defineCommand({
    name: 'catalog graph',
    summary: 'Draw the update graph of a package: as text, as a picture, or for mermaid.',
    description: `${catalogText}\nThe package may be invalid: multiple heads and cycles are drawn as they are.`,
    positionals: ['PACKAGE'],
    options: { ...catalogOption, ...graphOptions, ...registryOptions },
    examples: [
      'catalog graph tide-gauge --catalog ./catalog',
      'catalog graph tide-gauge --catalog ./catalog --channel stable --installed 1.0.0 --file tide-gauge.svg',
      'catalog graph tide-gauge --catalog ./catalog -o mermaid --draw-v0-semantics',
    ],
    run: async (values, positionals) => (await import('./commands/graph.ts')).catalogGraph(values, positionals),
  }),
  defineCommand({
    name: 'catalog validate',
    summary: 'Validate a catalog: print each problem with its file, line and fix.',
    description: `${catalogText}\nExit status: 0 valid, 1 invalid or unreadable.`,
    positionals: ['DIR|FILE|REF|URL|-'],
    catalogAt: 0,
    options: { ...catalogOption, ...validateOptions, ...registryOptions },
    examples: [
      'catalog validate ./catalog',
      'catalog validate --strict ./catalog',
      'catalog validate -o json ./catalog',
    ],
    run: async (values, positionals) => (await import('./commands/validate.ts')).catalogValidate(values, positionals),
  }),
  defineCommand({
    name: 'catalog prune',
    summary: 'Write a smaller catalog with selected packages, channels and versions, for example for a mirror.',
    description: `${catalogText}\nThe result is valid if the catalog is: channel heads, and everything between them and the selected versions, are retained; so are edges from removed entries. Deprecations of removed entries are removed. Dependencies that the result does not satisfy are reported on standard error.`,
    positionals: ['DIR|FILE|REF|URL|-'],
    catalogAt: 0,
    options: { ...catalogOption, ...pruneOptions, ...registryOptions },
    examples: [
      'catalog prune <registry>/catalog:v4.18 --keep-package tide-gauge:stable --to ./mirror',
      'catalog prune ./catalog --keep-package tide-gauge --min-version tide-gauge:1.1.0 --with-dependencies',
    ],
    run: async (values, positionals) => (await import('./commands/prune.ts')).catalogPrune(values, positionals),
  }),
  defineCommand({
    name: 'catalog diff',
    summary: 'Compare two catalogs: packages, channels, heads, bundles, edges and deprecations.',
    description: `${catalogText}\nExit status: 0 success; with --exit-code 0 no differences, 1 differences; 2 a catalog could not be read.`,
    positionals: ['OLD', 'NEW'],
    catalogAt: 0,
    options: {
      catalog: { ...catalogsOption.catalog, description: 'The catalogs to compare: the old one, then the new one.' },
      ...diffCatalogOptions,
      ...outputOption,
      ...registryOptions,
    },
    examples: ['catalog diff <registry>/catalog:v1 ./catalog', 'catalog diff ./old ./new --exit-code -o json'],
    failureStatus: 2,
    run: async (values, positionals) => (await import('./commands/diff.ts')).catalogDiff(values, positionals),
  }),
  defineCommand({
    name: 'catalog serve',
    summary: 'Serve a catalog over gRPC, as an operator registry, and optionally over the catalogd HTTP API.',
    description: `${catalogText} Several catalogs are served as one. Clients are a CatalogSource of type grpc with an address, and grpcurl.`,
    positionals: ['DIR|FILE|REF|URL|-...'],
    catalogAt: 0,
    options: { ...catalogsOption, ...serveOptions, ...processLogOption, ...registryOptions },
    examples: [
      'catalog serve ./catalog',
      'catalog serve ./catalog --http-port 8080',
      'catalog serve ./catalog --cache-dir ./cache --cache-only',
    ],
    isServer: true,
    run: async (values, positionals) => (await import('./commands/serve.ts')).catalogServe(values, positionals),
  }),
  ...authorCommands,
  defineCommand({
    name: 'resolve',
    summary: 'Resolve packages and their dependencies from catalogs, with an explanation.',
    description: `Prints the bundles to install and update, in order, or the smallest conflict. PACKAGE@RANGE takes version ranges as a ClusterExtension does: 1.x, ^1.2, ">=1.2 <2". Installed packages are updated only if they are named or another package requires it. ${catalogText}\nExit status: 0 success, 1 conflict or error.`,
    positionals: ['PACKAGE[@RANGE]...'],
    options: { ...resolveOptions, ...registryOptions },
    examples: [
      'resolve tide-gauge --catalog ./catalog',
      'resolve tide-gauge@1.x --catalog ./catalog --installed tide-core=1.0.0 -o json',
    ],
    run: async (values, positionals) => (await import('./commands/resolve.ts')).resolve(values, positionals),
  }),
];
