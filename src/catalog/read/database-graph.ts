/** A row of the table `channel_entry`. */
export interface EntryRow {
  readonly id: number;
  readonly packageName: string;
  readonly channel: string;
  readonly bundle: string;
  /** Id of the row of what it replaces or skips. */
  readonly replaces: number | undefined;
  readonly depth: number;
}

/** A bundle in a channel, and the bundles that it updates. */
export interface DatabaseEntry {
  readonly packageName: string;
  readonly channel: string;
  readonly bundle: string;
  readonly replaces?: string;
  readonly skips: readonly string[];
}

/** The rows of replacement: those of heads, and those that they lead to. All others that name another row are there for what is skipped. */
function chainRows(rows: readonly EntryRow[], byId: ReadonlyMap<number, EntryRow>): ReadonlySet<EntryRow> {
  const top = rows.reduce((least, { depth }) => Math.min(least, depth), Number.POSITIVE_INFINITY);
  const chain = new Set<EntryRow>();
  for (const head of rows) {
    if (head.depth !== top) continue;
    let row: EntryRow | undefined = head;
    while (row !== undefined && !chain.has(row)) {
      chain.add(row);
      row = row.replaces === undefined ? undefined : byId.get(row.replaces);
    }
  }
  return chain;
}

/** The entries of channels, each bundle of a channel once, in the order of the rows. */
export function databaseEntries(rows: readonly EntryRow[]): readonly DatabaseEntry[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const chain = chainRows(rows, byId);
  const groups = Map.groupBy(rows, ({ packageName, channel, bundle }) =>
    JSON.stringify([packageName, channel, bundle]),
  );
  return [...groups.values()].flatMap((group): DatabaseEntry[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { packageName, channel, bundle } = first;
    const named = (isOfChain: boolean): string[] =>
      group
        .filter((row) => chain.has(row) === isOfChain)
        .flatMap(({ replaces }) => (replaces === undefined ? [] : (byId.get(replaces)?.bundle ?? [])));
    const [replaces] = named(true).toSorted((a, b) => (a < b ? 1 : -1));
    return [{ packageName, channel, bundle, ...(replaces === undefined ? {} : { replaces }), skips: named(false) }];
  });
}
