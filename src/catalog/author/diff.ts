import { createHash } from 'node:crypto';
import { isJsonEqual } from '../../base/index.ts';
import { formatVersion, type Property } from '../../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, Channel, ChannelEntry } from '../../resolver/index.ts';
import type { Meta } from '../meta.ts';
import { PackageBuilder } from '../read/packages.ts';
import { orderChannel } from '../store/channel-heads.ts';
import { canonicalMeta } from '../write/canonical.ts';

/** What a value was, and what it is. Absent: there was none, there is none. */
export interface Changed<T> {
  readonly from?: T;
  readonly to?: T;
}

/** An entry that both channels have. */
export interface EntryChange {
  readonly name: string;
  readonly replaces?: Changed<string>;
  readonly skips?: Changed<readonly string[]>;
  readonly skipRange?: Changed<string>;
}

/** A channel that both packages have. */
export interface ChannelChange {
  readonly name: string;
  readonly heads?: Changed<readonly string[]>;
  readonly deprecation?: Changed<string>;
  readonly entries: Difference<ChannelEntry, EntryChange>;
}

/** A bundle that both packages have. */
export interface BundleChange {
  readonly name: string;
  readonly version?: Changed<string>;
  readonly image?: Changed<string>;
  readonly deprecation?: Changed<string>;
  /** Without what only user interfaces need. */
  readonly properties?: { readonly added: readonly Property[]; readonly removed: readonly Property[] };
  /** Something else of the document differs: related images, inlined manifests, what user interfaces need. */
  readonly hasOtherChanges: boolean;
}

/** A package that both catalogs have. */
export interface PackageChange {
  readonly name: string;
  readonly defaultChannel?: Changed<string>;
  readonly deprecation?: Changed<string>;
  readonly channels: Difference<ChannelSummary, ChannelChange>;
  readonly bundles: Difference<BundleSummary, BundleChange>;
  /** Something else of the package's document differs: description, icon, properties. */
  readonly hasOtherChanges: boolean;
}

/** A package that only one catalog has. */
export interface PackageSummary {
  readonly name: string;
  readonly defaultChannel: string;
  readonly channelCount: number;
  readonly bundleCount: number;
  readonly deprecation?: string;
}

/** A channel that only one package has. */
export interface ChannelSummary {
  readonly name: string;
  readonly heads: readonly string[];
  readonly entryCount: number;
  readonly deprecation?: string;
}

/** A bundle that only one package has. */
export interface BundleSummary {
  readonly name: string;
  readonly version: string;
  readonly image?: string;
  readonly deprecation?: string;
}

/** What only the new one has, what only the old one has, and what both have but not the same. By name. */
export interface Difference<One, Change> {
  readonly added: readonly One[];
  readonly removed: readonly One[];
  readonly changed: readonly Change[];
}

/** How two catalogs differ. */
export interface CatalogDifference {
  readonly packages: Difference<PackageSummary, PackageChange>;
  /** Documents of other schemas, as `schema package/name`. */
  readonly others: Difference<string, string>;
}

const known: ReadonlySet<string> = new Set(['olm.package', 'olm.channel', 'olm.bundle', 'olm.deprecations']);

/** What of a catalog is compared; keeps little of each document. */
export class ComparedCatalog {
  readonly #builder = new PackageBuilder();
  /** Of whole documents, by schema, package and name. */
  readonly digests: Map<string, string> = new Map();
  readonly others: Map<string, string> = new Map();

  add(meta: Meta): void {
    this.#builder.add(meta);
    const owner = meta.package === '' ? '' : `${meta.package}/`;
    const key = `${meta.schema} ${owner}${meta.name}`;
    const digest = createHash('sha256').update(canonicalMeta(meta)).digest('base64');
    const target = known.has(meta.schema) ? this.digests : this.others;
    // Several documents may have one name.
    target.set(key, (target.get(key) ?? '') + digest);
  }

  packages(): ReadonlyMap<string, CatalogPackage> {
    return this.#builder.build();
  }
}

function change<T>(key: string, from: T | undefined, to: T | undefined): Record<string, Changed<T>> {
  if (JSON.stringify(from) === JSON.stringify(to)) return {};
  return { [key]: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) } };
}

interface Sides<T> {
  readonly from: ReadonlyMap<string, T>;
  readonly to: ReadonlyMap<string, T>;
}

function differenceOf<T, One, Change>(
  { from, to }: Sides<T>,
  summarize: (item: T) => One,
  compare: (from: T, to: T) => Change | undefined,
): Difference<One, Change> {
  const only = (one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>): One[] =>
    Array.from(one.keys())
      .filter((name) => !other.has(name))
      .sort()
      .map((name) => summarize(one.get(name) as T));
  const both = Array.from(from.keys())
    .filter((name) => to.has(name))
    .sort();
  return {
    added: only(to, from),
    removed: only(from, to),
    changed: both.map((name) => compare(from.get(name) as T, to.get(name) as T)).filter((found) => found !== undefined),
  };
}

function isSame({ added, removed, changed }: Difference<unknown, unknown>): boolean {
  return added.length === 0 && removed.length === 0 && changed.length === 0;
}

function compareEntries(from: ChannelEntry, to: ChannelEntry): EntryChange | undefined {
  const found = {
    ...change('replaces', from.replaces, to.replaces),
    ...change('skips', from.skips.toSorted(), to.skips.toSorted()),
    ...change('skipRange', from.skipRange, to.skipRange),
  };
  return Object.keys(found).length === 0 ? undefined : { name: to.name, ...found };
}

const byName = <T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [item.name, item]));

function compareChannels(from: Channel, to: Channel): ChannelChange | undefined {
  const sides = { from: byName(from.entries), to: byName(to.entries) };
  const entries = differenceOf(sides, (entry) => entry, compareEntries);
  const found = {
    ...change('heads', orderChannel(from).heads, orderChannel(to).heads),
    ...change('deprecation', from.deprecation, to.deprecation),
  };
  return Object.keys(found).length === 0 && isSame(entries) ? undefined : { name: to.name, ...found, entries };
}

/** Those of one list that the other does not have, in whatever order. */
function without(properties: readonly Property[], others: readonly Property[]): Property[] {
  return properties.filter(
    ({ type, value }) => !others.some((other) => other.type === type && isJsonEqual(other.value, value)),
  );
}

function versionText({ version, release }: CatalogBundle): string {
  return release === undefined ? formatVersion(version) : `${formatVersion(version)} release ${release}`;
}

function compareBundles(from: CatalogBundle, to: CatalogBundle, isOtherDocument: boolean): BundleChange | undefined {
  const properties = {
    added: without(to.properties, from.properties),
    removed: without(from.properties, to.properties),
  };
  const hasProperties = properties.added.length + properties.removed.length > 0;
  const found = {
    ...change('version', versionText(from), versionText(to)),
    ...change('image', from.image, to.image),
    ...(hasProperties ? { properties } : {}),
  };
  const deprecation = change('deprecation', from.deprecation, to.deprecation);
  const hasOtherChanges = isOtherDocument && Object.keys(found).length === 0;
  if (!hasOtherChanges && Object.keys(found).length + Object.keys(deprecation).length === 0) return undefined;
  return { name: to.name, ...found, ...deprecation, hasOtherChanges };
}

const deprecationOf = ({
  deprecation,
}: {
  readonly deprecation?: string | undefined;
}): { readonly deprecation?: string } => (deprecation === undefined ? {} : { deprecation });

function summarizePackage(found: CatalogPackage): PackageSummary {
  const { name, defaultChannel, channels, bundles } = found;
  const counts = { channelCount: channels.length, bundleCount: bundles.size };
  return { name, defaultChannel, ...counts, ...deprecationOf(found) };
}

function summarizeChannel(found: Channel): ChannelSummary {
  const { name, entries } = found;
  return { name, heads: orderChannel(found).heads, entryCount: entries.length, ...deprecationOf(found) };
}

function summarizeBundle(found: CatalogBundle): BundleSummary {
  const { name, image } = found;
  return { name, version: versionText(found), ...(image === undefined ? {} : { image }), ...deprecationOf(found) };
}

type IsOther = (key: string) => boolean;

function comparePackages(from: CatalogPackage, to: CatalogPackage, isOther: IsOther): PackageChange | undefined {
  const { name } = to;
  const found = {
    ...change('defaultChannel', from.defaultChannel, to.defaultChannel),
    ...change('deprecation', from.deprecation, to.deprecation),
  };
  const channels = differenceOf(
    { from: byName(from.channels), to: byName(to.channels) },
    summarizeChannel,
    compareChannels,
  );
  const bundles = differenceOf({ from: from.bundles, to: to.bundles }, summarizeBundle, (one, other) =>
    compareBundles(one, other, isOther(`olm.bundle ${name}/${other.name}`)),
  );
  const hasOtherChanges = isOther(`olm.package ${name}`) && from.defaultChannel === to.defaultChannel;
  const isEqual = Object.keys(found).length === 0 && isSame(channels) && isSame(bundles) && !hasOtherChanges;
  return isEqual ? undefined : { name, ...found, channels, bundles, hasOtherChanges };
}

/** How the catalogs differ, whatever the order, files and format of their documents. */
export function compareCatalogs(from: ComparedCatalog, to: ComparedCatalog): CatalogDifference {
  const isOther: IsOther = (key) => from.digests.get(key) !== to.digests.get(key);
  const named = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly [string, string]> =>
    new Map(Array.from(texts, ([key, digest]) => [key, [key, digest]]));
  return {
    packages: differenceOf({ from: from.packages(), to: to.packages() }, summarizePackage, (one, other) =>
      comparePackages(one, other, isOther),
    ),
    others: differenceOf(
      { from: named(from.others), to: named(to.others) },
      ([key]) => key,
      ([, one], [key, other]) => (one === other ? undefined : key),
    ),
  };
}

/** Whether there is no difference. */
export function areSameCatalogs({ packages, others }: CatalogDifference): boolean {
  return isSame(packages) && isSame(others);
}
