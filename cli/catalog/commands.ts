/** Commands about catalogs of operators. Each loads what it needs when it runs.
 *  @imports cli/bundle-files, cli/oci, cli/input, cli/process, cli/output, cli/command, src/catalog,
 *    src/bundle-checks, src/sources, src/resolver, src/content, src/constraints, src/api, src/base */
import { type Command, outputOption, registryOptions } from '../command/index.ts';
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
  {
    name: 'catalog list',
    summary: 'List the packages, channels or bundles of a catalog, or the images that they need.',
    description: `${catalogText}\nExit status: 0 listed, 1 some of the catalog cannot be read; the rest is listed.`,
    positionals: ['packages|channels|bundles|images', 'DIR|FILE|REF|URL|-', '[PACKAGE]'],
    catalogAt: 1,
    options: [catalogOption, listOutputOption, ...registryOptions],
    examples: ['catalog list packages ./catalog', 'catalog list bundles ./catalog tide-gauge -o json'],
    run: async (values, positionals) => (await import('./commands/list.ts')).catalogList(values, positionals),
  },
  {
    name: 'catalog path',
    summary: 'Show which updates lead on from a version, why each is possible, and what is missing for others.',
    description: `${catalogText}\nExit status: 0 shown, 1 updates do not lead to the version of --to, 2 it could not be found out.`,
    positionals: ['PACKAGE'],
    options: [...pathOptions, outputOption, ...registryOptions],
    examples: [
      'catalog path tide-gauge --catalog ./catalog --from 1.0.0',
      'catalog path tide-gauge --catalog ./catalog --from 1.0.0 --to 2.0.0 --channel stable --policy v0',
    ],
    failureStatus: 2,
    run: async (values, positionals) => (await import('./commands/path.ts')).catalogPath(values, positionals),
  },
  {
    name: 'catalog graph',
    summary: 'Draw the update graph of a package: for a terminal, as a picture, or for mermaid.',
    description: `${catalogText}\nThe package need not be valid: two heads and cycles are drawn as they are.`,
    positionals: ['PACKAGE'],
    options: [...graphOptions, ...registryOptions],
    examples: [
      'catalog graph tide-gauge --catalog ./catalog',
      'catalog graph tide-gauge --catalog ./catalog --channel stable --installed 1.0.0 --file tide-gauge.svg',
      'catalog graph tide-gauge --catalog ./catalog -o mermaid --draw-v0-semantics',
    ],
    run: async (values, positionals) => (await import('./commands/graph.ts')).catalogGraph(values, positionals),
  },
  {
    name: 'catalog validate',
    summary: 'Judge a catalog by every rule there is: what is wrong, in which file and line, and what to do about it.',
    description: `${catalogText}\nExit status: 0 valid, 1 not valid, or it cannot be read.`,
    positionals: ['DIR|FILE|REF|URL|-'],
    catalogAt: 0,
    options: [catalogOption, ...validateOptions, ...registryOptions],
    examples: [
      'catalog validate ./catalog',
      'catalog validate --strict ./catalog',
      'catalog validate -o json ./catalog',
    ],
    run: async (values, positionals) => (await import('./commands/validate.ts')).catalogValidate(values, positionals),
  },
  {
    name: 'catalog prune',
    summary: 'Write a smaller catalog: chosen packages, channels and versions, as for a mirror.',
    description: `${catalogText}\nWhat is written validates when the catalog does: heads stay, with all that lies between them and what is kept; edges that lead in from what goes stay; deprecations of what goes go with it. On standard error it is told when what stays needs something that does not.`,
    positionals: ['DIR|FILE|REF|URL|-'],
    catalogAt: 0,
    options: [catalogOption, ...pruneOptions, ...registryOptions],
    examples: [
      'catalog prune <registry>/catalog:v4.18 --keep-package tide-gauge:stable --to ./mirror',
      'catalog prune ./catalog --keep-package tide-gauge --min-version tide-gauge:1.1.0 --with-dependencies',
    ],
    run: async (values, positionals) => (await import('./commands/prune.ts')).catalogPrune(values, positionals),
  },
  {
    name: 'catalog diff',
    summary: 'Tell how two catalogs differ: packages, channels, heads, bundles, edges, deprecations.',
    description: `${catalogText}\nExit status: 0 told; with --exit-code 0 no difference, 1 a difference; 2 a catalog could not be read.`,
    positionals: ['OLD', 'NEW'],
    catalogAt: 0,
    options: [
      { ...catalogsOption, sentence: 'The catalogs to compare: the old one, then the new one.' },
      ...diffCatalogOptions,
      outputOption,
      ...registryOptions,
    ],
    examples: ['catalog diff <registry>/catalog:v1 ./catalog', 'catalog diff ./old ./new --exit-code -o json'],
    failureStatus: 2,
    run: async (values, positionals) => (await import('./commands/diff.ts')).catalogDiff(values, positionals),
  },
  {
    name: 'catalog serve',
    summary: 'Serve a catalog over gRPC, as an operator registry, and over HTTP, as catalogd does.',
    description: `${catalogText} Of several, all are served as one. For a CatalogSource of type grpc with an address, and for grpcurl.`,
    positionals: ['DIR|FILE|REF|URL|-...'],
    catalogAt: 0,
    options: [catalogsOption, ...serveOptions, ...registryOptions],
    examples: [
      'catalog serve ./catalog',
      'catalog serve ./catalog --http-port 8080',
      'catalog serve ./catalog --cache-dir ./cache --cache-only',
    ],
    isServer: true,
    run: async (values, positionals) => (await import('./commands/serve.ts')).catalogServe(values, positionals),
  },
  ...authorCommands,
  {
    name: 'resolve',
    summary: 'Choose bundles of catalogs for packages, with all that they need, and say why.',
    description: `Prints what is to be installed and updated, in which order, or the smallest conflict that stands against it. PACKAGE@RANGE takes versions as a ClusterExtension does: 1.x, ^1.2, ">=1.2 <2". What is installed moves where it is named, or where something needs it. ${catalogText}\nExit status: 0 resolved, 1 conflict or error.`,
    positionals: ['PACKAGE[@RANGE]...'],
    options: [...resolveOptions, ...registryOptions],
    examples: [
      'resolve tide-gauge --catalog ./catalog',
      'resolve tide-gauge@1.x --catalog ./catalog --installed tide-core=1.0.0 -o json',
    ],
    run: async (values, positionals) => (await import('./commands/resolve.ts')).resolve(values, positionals),
  },
];
