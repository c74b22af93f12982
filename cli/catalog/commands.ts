import { registryOptions } from '../bundle-options.ts';
import type { Command } from '../commands/command.ts';
import { catalogText, listOutputOption } from './options.ts';

/** The commands about catalogs, in the order of `longshore --help`. */
export const catalogCommands: readonly Command[] = [
  {
    name: 'catalog list',
    summary: 'List the packages, channels or bundles of a catalog.',
    description: `${catalogText}\nExit status: 0 listed, 1 some of the catalog cannot be read; the rest is listed.`,
    positionals: ['packages|channels|bundles', 'DIR|FILE|REF|URL|-', '[PACKAGE]'],
    options: [listOutputOption, ...registryOptions],
    examples: ['catalog list packages ./catalog', 'catalog list bundles ./catalog tide-gauge -o json'],
    run: async (values, positionals) => (await import('../commands/catalog-list.ts')).catalogList(values, positionals),
  },
];
