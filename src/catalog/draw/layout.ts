import { goQuote, TerminalError } from '../../base/index.ts';
import { compareVersions, formatVersion, isInRange, parseVersionRange, type Version } from '../../constraints/index.ts';
import type { CatalogPackage, Channel, ChannelEntry, InstalledBundle } from '../../resolver/index.ts';
import { namedVersion } from '../check/named-version.ts';
import { assignLanes } from './lanes.ts';

/** One update, as a path takes it. */
export interface DrawnHop {
  readonly from: string;
  readonly to: string;
  readonly channel: string;
}

/** What is marked in a graph. */
export interface Marks {
  readonly installed?: InstalledBundle | undefined;
  /** Name of the bundle that updates are to lead to. */
  readonly target?: string | undefined;
  readonly path?: readonly DrawnHop[] | undefined;
}

/** What a row stands for: an end of updates, a stop on the way, a bundle that others skip, one from which nothing leads on, a
 *  bundle of other channels, a name without a bundle. */
export type RowKind = 'head' | 'stop' | 'skipped' | 'stranded' | 'elsewhere' | 'absent';

/** A bundle of a channel, on a row of its own. */
export interface Row {
  readonly name: string;
  /** The version where there is one, else the name. */
  readonly label: string;
  readonly kind: RowKind;
  /** 0: on the spine; 1: beside it. */
  readonly column: 0 | 1;
  readonly skipRange?: string;
  readonly deprecation?: string;
  readonly isInstalled: boolean;
  readonly isTarget: boolean;
  readonly isOnPath: boolean;
}

/** What a line means. `dead`: a replacement that is never used, as its newer end is skipped. */
export type LineKind = 'replaces' | 'skips' | 'skipRange' | 'dead' | 'path';

/** A line between neighbours of a column, from row to row. */
export interface Straight {
  readonly kind: LineKind;
  readonly column: 0 | 1;
  readonly top: number;
  readonly bottom: number;
}

/** A line beside the columns: from each of some rows to each of others. */
export interface Track {
  readonly kind: LineKind;
  readonly to: readonly number[];
  readonly from: readonly number[];
  /** From 0, counted outwards. */
  readonly lane: number;
}

/** What the names of bundles begin with, where each goes on with the version; undefined where some do not. */
export function commonPrefix(rows: readonly Row[]): string | undefined {
  const named = rows.filter(({ name, label }) => name !== label);
  const prefix = named[0]?.name.slice(0, -named[0].label.length) ?? '';
  return named.every(({ name, label }) => name === `${prefix}${label}`) ? prefix : undefined;
}

/** A channel, the newest on top. */
export interface ChannelLayout {
  readonly channel: Channel;
  readonly isDefault: boolean;
  readonly rows: readonly Row[];
  readonly straights: readonly Straight[];
  readonly tracks: readonly Track[];
  readonly lanes: number;
  /** How many lines are left out because they lead to bundles that are skipped, from where others lead further. */
  readonly leftOut: number;
}

/** Ranges that nearly every entry has would hide the rest: then that of the head alone is drawn. */
const maxRangeTracks = 4;
/** More bundles make the drawing unreadable. */
const maxRows = 20_000;
/** More lines to bundles that are skipped would hide the rest: then those that are not needed are left out. */
const maxLinesToSkipped = 6;

interface Links {
  /** Names without an entry that the spine goes on to. */
  readonly tails: ReadonlySet<string>;
  readonly byName: ReadonlyMap<string, ChannelEntry>;
  readonly reached: ReadonlySet<string>;
  readonly skipped: ReadonlySet<string>;
  readonly spine: ReadonlySet<string>;
}

function linksOf(entries: readonly ChannelEntry[]): Links {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const skipped = new Set(entries.flatMap(({ skips }) => skips));
  const reached = new Set([...skipped, ...entries.flatMap(({ replaces }) => replaces ?? [])]);
  const spine = new Set<string>();
  for (const { name } of entries) {
    let next: string | undefined = reached.has(name) ? undefined : name;
    while (next !== undefined && !spine.has(next)) {
      spine.add(next);
      const before: string | undefined = byName.get(next)?.replaces;
      next = before !== undefined && byName.has(before) && !skipped.has(before) ? before : undefined;
    }
  }
  const replaced = [...spine].flatMap((name) => byName.get(name)?.replaces ?? []);
  const tails = new Set(replaced.filter((name) => !byName.has(name) && !skipped.has(name)));
  return { byName, reached, skipped, spine, tails };
}

interface Named {
  readonly name: string;
  readonly version: Version | undefined;
}

function newestFirst(a: Named, b: Named): number {
  if (a.version !== undefined && b.version !== undefined) {
    return compareVersions(b.version, a.version) || (a.name < b.name ? 1 : -1);
  }
  return Number(a.version === undefined) - Number(b.version === undefined) || (a.name < b.name ? -1 : 1);
}

/** What is installed is shown where it is no bundle of the package, and where a range of the channel covers it. */
function isOfInterest({ name, version }: InstalledBundle, from: CatalogPackage, channel: Channel): boolean {
  return !from.bundles.has(name) || channel.entries.some(({ skipRange }) => covers(skipRange, version));
}

function covers(skipRange: string | undefined, version: Version): boolean {
  try {
    return skipRange !== undefined && isInRange(version, parseVersionRange(skipRange));
  } catch {
    return false;
  }
}

/** Every name of the channel, those included that only edges have, and what is installed. */
function namesOf(from: CatalogPackage, channel: Channel, { installed }: Marks): readonly Named[] {
  const names = new Set(
    channel.entries.flatMap(({ name, replaces, skips }) => [
      name,
      ...(replaces === undefined ? [] : [replaces]),
      ...skips,
    ]),
  );
  if (installed !== undefined && isOfInterest(installed, from, channel)) names.add(installed.name);
  names.delete('');
  const versionOf = (name: string): Version | undefined =>
    name === installed?.name ? installed.version : (from.bundles.get(name)?.version ?? namedVersion(name));
  return [...names].map((name) => ({ name, version: versionOf(name) })).sort(newestFirst);
}

function kindOf(name: string, { byName, reached, skipped, spine }: Links, from: CatalogPackage): RowKind {
  if (!byName.has(name)) return from.bundles.has(name) ? 'elsewhere' : 'absent';
  if (!reached.has(name)) return 'head';
  if (skipped.has(name)) return 'skipped';
  return spine.has(name) ? 'stop' : 'stranded';
}

function rowOf({ name, version }: Named, { from, links, marks, onPath }: RowContext): Row {
  const entry = links.byName.get(name);
  const { deprecation } = from.bundles.get(name) ?? {};
  return {
    name,
    label: version === undefined ? name : formatVersion(version),
    kind: kindOf(name, links, from),
    column: links.spine.has(name) || links.tails.has(name) ? 0 : 1,
    ...(entry?.skipRange === undefined ? {} : { skipRange: entry.skipRange }),
    ...(deprecation === undefined ? {} : { deprecation }),
    isInstalled: name === marks.installed?.name,
    isTarget: name === marks.target,
    isOnPath: onPath.has(name),
  };
}

interface RowContext {
  readonly from: CatalogPackage;
  readonly links: Links;
  readonly marks: Marks;
  readonly onPath: ReadonlySet<string>;
}

/** A line whose place is not yet known. */
interface Line {
  readonly kind: LineKind;
  readonly to: number;
  readonly from: readonly number[];
}

function coveredNames(entry: ChannelEntry, names: readonly Named[], near: ReadonlySet<string>): readonly string[] {
  return names.flatMap(({ name, version }) =>
    version !== undefined && name !== entry.name && !near.has(name) && covers(entry.skipRange, version) ? [name] : [],
  );
}

function linesOf(channel: Channel, names: readonly Named[], links: Links): readonly Line[] {
  const rowOfName = new Map(names.map(({ name }, row) => [name, row]));
  const rows = (some: readonly string[]): number[] =>
    some.flatMap((name) => rowOfName.get(name) ?? []).sort((a, b) => a - b);
  const ranges: Line[] = [];
  const lines = channel.entries.flatMap((entry): Line[] => {
    const [to] = rows([entry.name]);
    if (to === undefined) return [];
    const replaced = entry.replaces === undefined || entry.replaces === entry.name ? [] : [entry.replaces];
    const skipped = [...new Set(entry.skips)].filter((name) => name !== entry.name && name !== '');
    const covered = links.skipped.has(entry.name) ? [] : coveredNames(entry, names, new Set([...replaced, ...skipped]));
    if (covered.length > 0) ranges.push({ kind: 'skipRange', to, from: rows(covered) });
    return [
      { kind: links.skipped.has(entry.name) ? ('dead' as const) : ('replaces' as const), to, from: rows(replaced) },
      { kind: 'skips' as const, to, from: rows(skipped) },
    ].filter(({ from }) => from.length > 0);
  });
  const shown =
    ranges.length <= maxRangeTracks ? ranges : ranges.filter(({ to }) => !links.reached.has(names[to]?.name ?? ''));
  return [...lines, ...shown];
}

interface Chosen {
  readonly lines: readonly Line[];
  readonly leftOut: number;
}

/** Without lines to bundles that are skipped, where there are many, as far as other lines lead on from the same rows. */
function withoutDetours(lines: readonly Line[], names: readonly Named[], { skipped }: Links): Chosen {
  const isDetour = ({ to, kind }: Line): boolean => kind !== 'path' && skipped.has(names[to]?.name ?? '');
  if (lines.filter(isDetour).length <= maxLinesToSkipped) return { lines, leftOut: 0 };
  const leadsOn = new Set(lines.filter((line) => !isDetour(line)).flatMap(({ from }) => from));
  const kept = lines.map((line) =>
    isDetour(line) ? { ...line, from: line.from.filter((row) => !leadsOn.has(row)) } : line,
  );
  const shown = kept.filter(({ from }) => from.length > 0);
  return { lines: shown, leftOut: lines.length - shown.length };
}

/** A line that can be drawn in its column, because nothing else stands there between its ends. */
function straightOf({ kind, to, from }: Line, rows: readonly Row[]): Straight | undefined {
  const [bottom] = from;
  const column = rows[to]?.column;
  if (bottom === undefined || column === undefined || from.length > 1 || bottom < to) return undefined;
  if (rows[bottom]?.column !== column) return undefined;
  const isFree = rows.slice(to + 1, bottom).every((row) => row.column !== column);
  return isFree ? { kind, column, top: to, bottom } : undefined;
}

/** Lines of one kind that begin at the same rows, as one. */
function joined(lines: readonly Line[]): readonly Omit<Track, 'lane'>[] {
  const groups = Map.groupBy(lines, ({ kind, from }) => `${kind} ${from.join()}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ kind: first.kind, from: first.from, to: group.map(({ to }) => to) }];
  });
}

function assertDrawable({ name }: Channel, rows: number): void {
  if (rows <= maxRows) return;
  const text = `channel ${goQuote(name)} has ${rows} bundles, more than the ${maxRows} that are drawn`;
  throw new TerminalError('PictureTooLarge', `${text}: draw another channel (--channel), or as mermaid`);
}

/** Where everything of a channel stands. Channels that are not valid are laid out like others.
 *  @throws TerminalError PictureTooLarge */
export function layOutChannel(from: CatalogPackage, channel: Channel, marks: Marks = {}): ChannelLayout {
  const links = linksOf(channel.entries);
  const names = namesOf(from, channel, marks);
  assertDrawable(channel, names.length);
  const hops = (marks.path ?? []).filter((hop) => hop.channel === channel.name);
  const onPath = new Set(hops.flatMap((hop) => [hop.from, hop.to]));
  const rows = names.map((named) => rowOf(named, { from, links, marks, onPath }));
  const rowOfName = new Map(names.map(({ name }, row) => [name, row]));
  const path = hops.flatMap((hop): Line[] => {
    const [to, start] = [rowOfName.get(hop.to), rowOfName.get(hop.from)];
    return to === undefined || start === undefined ? [] : [{ kind: 'path', to, from: [start] }];
  });
  const isStraightKind = ({ kind }: Line): boolean => kind !== 'skips' && kind !== 'skipRange';
  const { lines, leftOut } = withoutDetours(linesOf(channel, names, links), names, links);
  const placed = [...lines, ...path].map((line) => ({
    line,
    straight: isStraightKind(line) ? straightOf(line, rows) : undefined,
  }));
  const beside = joined(placed.flatMap(({ line, straight }) => (straight === undefined ? [line] : [])));
  const lanes = assignLanes(
    beside.map(({ to, from: starts }) => ({ first: Math.min(...to, ...starts), last: Math.max(...to, ...starts) })),
  );
  return {
    channel,
    isDefault: channel.name === from.defaultChannel,
    rows,
    straights: placed.flatMap(({ straight }) => straight ?? []),
    tracks: beside.map((line, index) => ({ ...line, lane: lanes[index] ?? 0 })),
    lanes: Math.max(0, ...lanes.map((lane) => lane + 1)),
    leftOut,
  };
}

/** `stable-3.9` before `stable-3.10`. */
const byNumbers = new Intl.Collator('en', { numeric: true });

/** What is not drawn, in words; '' when everything is. */
export function leftOutText(layouts: readonly ChannelLayout[]): string {
  const leftOut = layouts.reduce((sum, layout) => sum + layout.leftOut, 0);
  return leftOut === 0 ? '' : `${leftOut} lines to skipped bundles are left out`;
}

/** The channels of a package that are requested, all when none is named; the default one first. */
export function layOutPackage(
  from: CatalogPackage,
  requested: readonly string[] | undefined,
  marks: Marks = {},
): readonly ChannelLayout[] {
  const channels = from.channels.filter(({ name }) => requested === undefined || requested.includes(name));
  const rank = ({ name }: Channel): number => Number(name !== from.defaultChannel);
  return channels
    .toSorted((a, b) => rank(a) - rank(b) || byNumbers.compare(a.name, b.name))
    .map((channel) => layOutChannel(from, channel, marks));
}
