import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from '../core/index.ts';
import type { StoredEntry } from '../storage/index.ts';
import type { ResourceCall } from './api-parts.ts';
import type { Exchange } from './exchange.ts';
import type { Selection } from './selection.ts';

/** What a collection is at the moment of a list, and where the page begins in it. */
export interface Snapshot {
  readonly all: readonly StoredEntry[];
  readonly start: number;
  /** 0: none. */
  readonly limit: number;
}

/** Entries of a collection, and the metadata of a list of them. */
export interface Page {
  readonly entries: readonly StoredEntry[];
  readonly served: Served;
  readonly metadata: JsonObject;
}

/** Brings an entry into the version of a request. */
export type Served = (entry: StoredEntry) => KubeObject;

/** How entries are looked at for a request. */
export interface Look {
  readonly served: Served;
  readonly exchange: Pick<Exchange, 'nextTurn'>;
}

/** How entries are brought into the version of a request. A webhook is asked once for all that a page may hold; what it answers is remembered elsewhere
 *  for a moment only. */
export async function servedOf(
  { type, signal }: ResourceCall,
  selection: Selection,
  snapshot: Snapshot,
): Promise<Served> {
  const { conversion } = type;
  if (conversion === undefined) return (entry) => type.toServed(entry.object);
  const { all, start, limit } = snapshot;
  const end = limit === 0 || !selection.isEverything ? all.length : start + limit;
  const page = all.slice(start, end).map((entry) => ({ entry, object: entry.object }));
  await conversion.prepare(
    page.map(({ object }) => object),
    signal,
  );
  const served = new Map(page.map(({ entry, object }) => [entry, type.toServed(object)]));
  return (entry) => served.get(entry) ?? type.toServed(entry.object);
}

/** The selected entries from the start of the page on, at most its limit, and the index where it stopped. All of them may have to be parsed. */
export async function select(
  { all, start, limit }: Snapshot,
  selection: Selection,
  { served, exchange }: Look,
): Promise<{ readonly entries: readonly StoredEntry[]; readonly next: number }> {
  const most = limit === 0 ? all.length : limit;
  if (selection.isEverything) {
    const next = Math.min(all.length, start + most);
    return { entries: start === 0 && next === all.length ? all : all.slice(start, next), next };
  }
  const entries: StoredEntry[] = [];
  let next = start;
  for (; next < all.length && entries.length < most; next += 1) {
    const entry = all[next] as StoredEntry;
    if (selection.matches(served(entry))) entries.push(entry);
    await exchange.nextTurn();
  }
  return { entries, next };
}
