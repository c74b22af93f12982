import {
  compareVersions,
  formatVersion,
  isInRange,
  parseVersionRange,
  type Version,
  type VersionRange,
} from '../../constraints/index.ts';
import type { ChannelEntry } from '../../resolver/index.ts';
import { channelFault, headsOf } from './channel-graph.ts';
import type { CatalogFinding, CatalogRule } from './finding.ts';
import type { ModelBundle, ModelChannel, ModelPackage } from './model.ts';
import { namedVersion } from './named-version.ts';
import { coversNothing } from './range-extent.ts';

interface Warning {
  readonly rule: CatalogRule;
  readonly message: string;
  readonly bundle?: string;
  readonly advice?: string;
}

const maxNamesShown = 5;

function listed(names: readonly string[]): string {
  const more = names.length - maxNamesShown;
  return `${names.slice(0, maxNamesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function rangeOf({ skipRange }: ChannelEntry): VersionRange | undefined {
  if (skipRange === undefined) return undefined;
  try {
    return parseVersionRange(skipRange);
  } catch {
    return undefined;
  }
}

function* rangeWarnings({ name, entry, record }: ModelBundle): Iterable<Warning> {
  const range = rangeOf(entry);
  if (range === undefined) return;
  const shown = JSON.stringify(range.text);
  if (coversNothing(range)) {
    yield { rule: 'range', bundle: name, message: `skipRange ${shown} of ${name} covers no version at all` };
  }
  const version = record?.version;
  if (version === undefined || !isInRange(version, range)) return;
  yield {
    rule: 'range',
    bundle: name,
    message: `skipRange ${shown} of ${name} covers the entry's own version ${formatVersion(version)}`,
    advice: `end it with <${formatVersion(version)}`,
  };
}

function oldestOf(channel: ModelChannel): Version | undefined {
  const versions = [...channel.bundles.values()].flatMap(({ record }) => record?.version ?? []);
  return versions.sort(compareVersions)[0];
}

/** Names that edges come from and no bundle of the package has. Older ones than the oldest are history, which catalogs leave out. */
function* nameWarnings(channel: ModelChannel, known: ReadonlySet<string>): Iterable<Warning> {
  const names = [...channel.bundles.values()].flatMap(({ entry }) => [
    ...(entry.replaces === undefined ? [] : [entry.replaces]),
    ...entry.skips,
  ]);
  const oldest = oldestOf(channel);
  const unknown = [...new Set(names)].filter((name) => {
    if (name === '' || known.has(name) || channel.bundles.has(name)) return false;
    const version = namedVersion(name);
    return version === undefined || oldest === undefined || compareVersions(version, oldest) >= 0;
  });
  if (unknown.length === 0) return;
  yield {
    rule: 'unknown-name',
    message: `entries replace or skip what is no bundle of the package: ${listed(unknown)}`,
    advice: 'correct if they were removed from the catalog; otherwise fix the names',
  };
}

/** More comparisons of versions with ranges than this are not made: no real channel needs them, and a hostile one is not worth the time. */
const maxComparisons = 2_000_000;

/** Entries from which updates come to the head: backwards from it, through entries that are not skipped, as these alone are updated to. Undefined
 *  for channels that are too large to be validated. */
function reachingHead(head: ModelBundle, channel: ModelChannel): ReadonlySet<string> | undefined {
  const bundles = [...channel.bundles.values()];
  const ranges = new Map(bundles.map(({ name, entry }) => [name, rangeOf(entry)]));
  const ranged = [...ranges.values()].filter((range) => range !== undefined).length;
  if (ranged * bundles.length > maxComparisons) return undefined;
  const skipped = new Set(bundles.flatMap(({ entry }) => entry.skips));
  const reaching = new Set([head.name]);
  const pending = [head];
  const reach = (bundle: ModelBundle | undefined): void => {
    if (bundle === undefined || reaching.has(bundle.name)) return;
    reaching.add(bundle.name);
    if (!skipped.has(bundle.name)) pending.push(bundle);
  };
  for (let target = pending.pop(); target !== undefined; target = pending.pop()) {
    for (const name of [target.entry.replaces ?? '', ...target.entry.skips]) reach(channel.bundles.get(name));
    const range = ranges.get(target.name);
    const left = range === undefined ? [] : bundles.filter(({ name }) => !reaching.has(name));
    for (const bundle of left) if (isCovered(bundle, range)) reach(bundle);
  }
  return reaching;
}

function isCovered({ record }: ModelBundle, range: VersionRange | undefined): boolean {
  return range !== undefined && record?.version !== undefined && isInRange(record.version, range);
}

function* headWarnings(channel: ModelChannel): Iterable<Warning> {
  const bundles = [...channel.bundles.values()];
  const entries = bundles.map(({ entry }) => entry);
  if (bundles.length === 0 || channelFault(entries) !== undefined) return;
  const [headName = ''] = headsOf(entries);
  const head = channel.bundles.get(headName);
  if (head === undefined) return;
  const newest = newestOf(bundles);
  if (newest !== undefined && newest.name !== headName && isBelow(head, newest)) {
    const message = `the head, ${headName}, is older than ${newest.name}`;
    yield { rule: 'head', message, advice: `let ${newest.name} replace or skip it` };
  }
  const reaching = reachingHead(head, channel);
  const stuck = bundles.map(({ name }) => name).filter((name) => reaching?.has(name) === false);
  if (stuck.length === 0) return;
  yield {
    rule: 'unreachable',
    message: `no update leads to the head, ${headName}, from: ${listed(stuck.sort())}`,
    advice: `let ${headName} skip them, or give it a skipRange that covers them; OLM v0 does not update to entries that are skipped`,
  };
}

function newestOf(bundles: readonly ModelBundle[]): ModelBundle | undefined {
  let newest: ModelBundle | undefined;
  for (const bundle of bundles) {
    if (bundle.record?.version !== undefined && (newest === undefined || isBelow(newest, bundle))) newest = bundle;
  }
  return newest;
}

function isBelow(a: ModelBundle, b: ModelBundle): boolean {
  const [one, other] = [a.record?.version, b.record?.version];
  return one !== undefined && other !== undefined && compareVersions(one, other) < 0;
}

/** Versions that differ in nothing that orders them. */
function* versionWarnings(model: ModelPackage): Iterable<Warning> {
  const records = new Map(
    [...model.channels.values()].flatMap(({ bundles }) => [...bundles].map(([name, { record }]) => [name, record])),
  );
  const versions = [...records].flatMap(([name, record]) =>
    record?.version === undefined || record.release !== '' ? [] : [{ name, version: record.version }],
  );
  const key = ({ version }: { version: Version }): string => formatVersion({ ...version, build: [] });
  for (const [shown, group] of Map.groupBy(versions, key)) {
    const written = new Set(group.map(({ version }) => formatVersion(version)));
    // Bundles of the very same version are an error already.
    if (written.size < 2) continue;
    const names = group.map(({ name }) => name).sort();
    yield {
      rule: 'equal-versions',
      message: `${names.join(', ')} differ in build metadata alone, which orders nothing: all are version ${shown}`,
      advice: 'give the later ones a release, or a higher version',
    };
  }
}

/** What is legal in a package and yet probably a mistake. */
export function* graphWarnings(model: ModelPackage, known: ReadonlySet<string>): Iterable<CatalogFinding> {
  const about = { severity: 'warning' as const, package: model.name };
  for (const warning of versionWarnings(model)) yield { ...about, place: model.place, ...warning };
  for (const channel of model.channels.values()) {
    const where = { ...about, channel: channel.name, place: channel.place };
    for (const bundle of channel.bundles.values()) {
      for (const warning of rangeWarnings(bundle)) yield { ...where, ...warning };
    }
    for (const warning of nameWarnings(channel, known)) yield { ...where, ...warning };
    for (const warning of headWarnings(channel)) yield { ...where, ...warning };
  }
}
