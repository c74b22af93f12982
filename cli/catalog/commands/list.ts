import { formatYaml, printable, TerminalError } from '../../../src/base/index.ts';
import { UnreadableCatalog } from '../../../src/catalog/index.ts';
import type { OptionValues, registryOptions } from '../../command/index.ts';
import { formatTable } from '../../output/index.ts';
import { Listing } from '../listing.ts';
import { openCatalog, withCatalogs } from '../open.ts';
import type { listOutputOption } from '../options.ts';

type Values = OptionValues<typeof listOutputOption & typeof registryOptions>;

interface Kind {
  readonly columns: readonly string[];
  readonly rows: (listing: Listing) => readonly { readonly cells: readonly string[]; readonly value: object }[];
}

/** The first of the names, and how many more there are. */
function shortened([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

const kinds: Readonly<Record<string, Kind>> = {
  packages: {
    columns: ['NAME', 'DISPLAY NAME', 'DEFAULT CHANNEL'],
    rows: (listing) =>
      listing.packages().map((row) => ({ cells: [row.name, row.displayName, row.defaultChannel], value: row })),
  },
  channels: {
    columns: ['PACKAGE', 'CHANNEL', 'HEAD'],
    rows: (listing) =>
      listing
        .channels()
        .map((row) => ({ cells: [row.package, row.channel, row.head ?? `ERROR: ${row.error ?? ''}`], value: row })),
  },
  bundles: {
    columns: ['PACKAGE', 'CHANNEL', 'BUNDLE', 'REPLACES', 'SKIPS', 'SKIP RANGE', 'IMAGE'],
    rows: (listing) =>
      listing.bundles().map((row) => ({
        cells: [row.package, row.channel, row.bundle, row.replaces, row.skips.join(','), row.skipRange, row.image],
        value: row,
      })),
  },
  images: {
    columns: ['IMAGE', 'BUNDLES'],
    rows: (listing) => listing.images().map((row) => ({ cells: [row.image, shortened(row.bundles)], value: row })),
  },
};

function print(kind: Kind, listing: Listing, output: unknown): void {
  const rows = kind.rows(listing);
  if (output === 'json') process.stdout.write(`${JSON.stringify(rows.map(({ value }) => value))}\n`);
  else if (output === 'yaml') process.stdout.write(formatYaml(rows.map(({ value }) => value)));
  else
    process.stdout.write(
      formatTable(
        kind.columns,
        rows.map(({ cells }) => cells),
      ),
    );
}

/** `longshore catalog list packages|channels|bundles|images REF [PACKAGE]`: 1 when some of the catalog cannot be read; the rest is listed. */
export async function catalogList(
  values: Values,
  [word, name, requested]: readonly [string, string, string?],
): Promise<number> {
  const kind = Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  if (kind === undefined) {
    throw new TerminalError(
      'InvalidOption',
      `catalog list: expected packages, channels, bundles or images, found "${word}"`,
    );
  }
  return await withCatalogs(values, async (options) => {
    const listing = new Listing(requested);
    let unread: UnreadableCatalog | undefined;
    try {
      for await (const meta of openCatalog(name, options)) listing.add(meta);
    } catch (thrown) {
      if (!(thrown instanceof UnreadableCatalog)) throw thrown;
      unread = thrown;
    }
    options.progress.clear();
    print(kind, listing, values.output);
    if (unread !== undefined) process.stderr.write(`longshore: ${printable(unread.message)}\n`);
    return unread === undefined ? 0 : 1;
  });
}
