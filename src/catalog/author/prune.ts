import {
  goQuote,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { compareVersions, formatVersion, type Version } from '../../constraints/index.ts';
import type { CatalogPackage, Channel } from '../../resolver/index.ts';
import { orderChannel } from '../store/channel-heads.ts';
import type { OrderedMeta } from '../write/meta-spool.ts';
import { retainedEntries } from './prune-channel.ts';

/** What is to stay of a package. */
export interface PackageSelection {
  readonly name: string;
  /** Empty: all of them. */
  readonly channels: readonly string[];
  readonly minVersion?: Version | undefined;
  /** Of each channel only the head. */
  readonly isHeadsOnly: boolean;
  readonly defaultChannel?: string | undefined;
}

/** What stays of a package. */
export interface RetainedPackage {
  readonly name: string;
  readonly defaultChannel: string;
  /** Names of entries by channel. */
  readonly channels: ReadonlyMap<string, ReadonlySet<string>>;
  readonly bundles: ReadonlySet<string>;
}

function notFound(text: string): never {
  throw new TerminalError('NotFound', text);
}

function selectedEntries(
  found: CatalogPackage,
  channel: Channel,
  { minVersion, isHeadsOnly }: PackageSelection,
): string[] {
  if (isHeadsOnly) return [];
  const names = channel.entries.map(({ name }) => name);
  if (minVersion === undefined) return names;
  return names.filter((name) => {
    const version = found.bundles.get(name)?.version;
    return version !== undefined && compareVersions(version, minVersion) >= 0;
  });
}

function channelsOf(found: CatalogPackage, selection: PackageSelection): readonly Channel[] {
  const { name, channels, minVersion } = selection;
  for (const channel of channels) {
    if (!found.channels.some((candidate) => candidate.name === channel)) {
      notFound(`package ${goQuote(name)}, channel ${goQuote(channel)} not found`);
    }
  }
  if (channels.length > 0) return found.channels.filter((channel) => channels.includes(channel.name));
  // A channel that ends below the requested version has nothing of interest.
  const useful = found.channels.filter(
    (channel) =>
      minVersion === undefined || selectedEntries(found, channel, { ...selection, isHeadsOnly: false }).length > 0,
  );
  if (useful.length > 0) return useful;
  const least = minVersion === undefined ? 'at all' : `of version ${formatVersion(minVersion)} or later`;
  return notFound(`package ${goQuote(name)} has no bundle ${least}`);
}

/** The channel whose head is newest; of equal ones the last by name. */
function newestChannel(found: CatalogPackage, channels: readonly Channel[]): string {
  const headVersion = (channel: Channel): Version | undefined =>
    found.bundles.get(orderChannel(channel).heads[0] ?? '')?.version;
  const newest = channels.reduce((best, channel) => {
    const [a, b] = [headVersion(best), headVersion(channel)];
    return b !== undefined && (a === undefined || compareVersions(b, a) >= 0) ? channel : best;
  });
  return newest.name;
}

function defaultChannelOf(found: CatalogPackage, channels: readonly Channel[], selection: PackageSelection): string {
  const names = channels.map(({ name }) => name);
  const { defaultChannel } = selection;
  if (defaultChannel !== undefined && !names.includes(defaultChannel)) {
    const text = `package ${goQuote(selection.name)}: the channel ${goQuote(defaultChannel)} cannot be the default: the retained channels are ${names.join(', ')}`;
    throw new TerminalError('InvalidOption', text);
  }
  if (defaultChannel !== undefined) return defaultChannel;
  return names.includes(found.defaultChannel) ? found.defaultChannel : newestChannel(found, channels);
}

/** What has to stay of a package so that what is requested of it can be installed, and updated along the channels that stay.
 *  @throws TerminalError NotFound, InvalidOption */
export function prunePackage(
  packages: ReadonlyMap<string, CatalogPackage>,
  selection: PackageSelection,
): RetainedPackage {
  const found = packages.get(selection.name) ?? notFound(`package ${goQuote(selection.name)} not found`);
  const channels = channelsOf(found, selection);
  const retained = new Map(
    channels.map((channel) => [channel.name, retainedEntries(channel, selectedEntries(found, channel, selection))]),
  );
  return {
    name: selection.name,
    defaultChannel: defaultChannelOf(found, channels, selection),
    channels: retained,
    bundles: new Set(Array.from(retained.values()).flatMap((names) => Array.from(names))),
  };
}

function isStillThere(retained: RetainedPackage, entry: JsonObject): boolean {
  const reference = objectAt(entry, 'reference');
  const [schema, name] = [textAt(reference, 'schema'), textAt(reference, 'name')];
  if (schema === 'olm.channel') return retained.channels.has(name);
  return schema === 'olm.bundle' ? retained.bundles.has(name) : true;
}

function withEntries(value: JsonObject, isKept: (entry: JsonObject) => boolean): JsonObject {
  const entries: JsonValue[] = objectsAt(value, 'entries').filter(isKept);
  return { ...value, entries };
}

/** What becomes of a document when only some packages stay; undefined: it goes. What has no package stays. */
export function pruneDocument(
  retained: ReadonlyMap<string, RetainedPackage>,
  { schema, package: packageName, name, value }: OrderedMeta,
): JsonObject | undefined {
  if (packageName === '') return value;
  const owner = retained.get(packageName);
  if (owner === undefined) return undefined;
  switch (schema) {
    case 'olm.package':
      return { ...value, defaultChannel: owner.defaultChannel };
    case 'olm.channel': {
      const names = owner.channels.get(name);
      return names === undefined ? undefined : withEntries(value, (entry) => names.has(textAt(entry, 'name')));
    }
    case 'olm.bundle':
      return owner.bundles.has(name) ? value : undefined;
    case 'olm.deprecations': {
      const pruned = withEntries(value, (entry) => isStillThere(owner, entry));
      return objectsAt(pruned, 'entries').length === 0 ? undefined : pruned;
    }
    default:
      return value;
  }
}
