import { isJsonObject, type JsonObject, parseJson, TerminalError } from '../base/index.ts';
import { compareVersions, formatVersion } from '../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, Channel } from '../resolver/index.ts';
import { bundleManifests } from './grpc/bundle-message.ts';
import type { CatalogIndex, MetaFilter } from './store/catalog-index.ts';

/** A bundle in a channel, as user interfaces list it. */
export interface DescribedEntry {
  readonly name: string;
  readonly version: string;
  readonly deprecation?: string;
}

/** A channel, its newest entries first. */
export interface DescribedChannel {
  readonly name: string;
  readonly deprecation?: string;
  readonly entries: readonly DescribedEntry[];
  /** ClusterServiceVersion of its head; or, of a bundle in an image, one made of what the catalog has of it. */
  readonly csv: JsonObject;
}

/** A package as user interfaces show it. */
export interface DescribedPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly deprecation?: string;
  /** By name; without those whose head cannot be shown. */
  readonly channels: readonly DescribedChannel[];
}

function deprecated({ deprecation }: { readonly deprecation?: string }): { readonly deprecation?: string } {
  return deprecation === undefined ? {} : { deprecation };
}

function entriesOf({ entries }: Channel, { bundles }: CatalogPackage): readonly DescribedEntry[] {
  const found = entries.map(({ name }) => bundles.get(name)).filter((bundle) => bundle !== undefined);
  const listed = found.filter(({ properties }) => !properties.some(({ type }) => type === 'olm.deprecated'));
  return listed
    .toSorted((a, b) => compareVersions(b.version, a.version))
    .map((bundle) => ({ name: bundle.name, version: formatVersion(bundle.version), ...deprecated(bundle) }));
}

/** Of the documents of all heads of a package, which are read while others wait: many times what published packages have. */
const maxHeadBytes = 32 * 1024 * 1024;

function documentOf({ name, packageName }: CatalogBundle): MetaFilter {
  return { schema: 'olm.bundle', package: packageName, name, limit: 1 };
}

function csvOf(index: CatalogIndex, bundle: CatalogBundle, stated: JsonObject | undefined): JsonObject | undefined {
  const { version } = bundle;
  const [found] = index.metas(documentOf(bundle));
  if (found === undefined) return undefined;
  const { csvJson } = bundleManifests(found.value, { version: formatVersion(version), stated });
  try {
    const csv = parseJson('ClusterServiceVersion', csvJson === '' ? 'null' : csvJson);
    return isJsonObject(csv) ? csv : undefined;
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

/** Reads the ClusterServiceVersions of heads of one package, each once. */
class HeadReader {
  readonly #index: CatalogIndex;
  readonly #found: CatalogPackage;
  readonly #stated: JsonObject | undefined;
  readonly #csvs = new Map<string, JsonObject | undefined>();
  #leftBytes = maxHeadBytes;

  constructor(index: CatalogIndex, found: CatalogPackage) {
    this.#index = index;
    this.#found = found;
    const filter = { schema: 'olm.package', name: found.name, limit: 1 };
    const { lengthBytes } = index.select(filter);
    const [stated] = lengthBytes > this.#leftBytes ? [] : index.metas(filter);
    if (stated !== undefined) this.#leftBytes -= lengthBytes;
    this.#stated = stated?.value;
  }

  /** Undefined for a channel whose head cannot be shown. */
  describe(channel: Channel): DescribedChannel | undefined {
    const heads = this.#index.members.channel(this.#found.name, channel.name)?.heads ?? [];
    const head = heads.length === 1 ? this.#found.bundles.get(heads[0] ?? '') : undefined;
    if (head === undefined) return undefined;
    if (!this.#csvs.has(head.name)) this.#csvs.set(head.name, this.#read(head));
    const csv = this.#csvs.get(head.name);
    if (csv === undefined) return undefined;
    return { name: channel.name, ...deprecated(channel), entries: entriesOf(channel, this.#found), csv };
  }

  #read(head: CatalogBundle): JsonObject | undefined {
    const { lengthBytes } = this.#index.select(documentOf(head));
    if (lengthBytes > this.#leftBytes) return undefined;
    this.#leftBytes -= lengthBytes;
    return csvOf(this.#index, head, this.#stated);
  }
}

/** A package with what its catalog has of its operators; undefined where there is none. Reads a document for each channel: some milliseconds.
 *  @throws TerminalError CatalogIndexUnusable */
export function describePackage(index: CatalogIndex, name: string): DescribedPackage | undefined {
  const found = index.package(name);
  if (found === undefined) return undefined;
  const reader = new HeadReader(index, found);
  const channels = found.channels.flatMap((channel) => reader.describe(channel) ?? []);
  return { name, defaultChannel: found.defaultChannel, ...deprecated(found), channels };
}

/** The default channel of a package, or the first by name that can be shown where that one cannot; undefined where there is none.
 *  @throws TerminalError CatalogIndexUnusable */
export function describeDefaultChannel(index: CatalogIndex, name: string): DescribedChannel | undefined {
  const found = index.package(name);
  if (found === undefined) return undefined;
  const reader = new HeadReader(index, found);
  const isDefault = (channel: Channel): boolean => channel.name === found.defaultChannel;
  const ordered = [...found.channels.filter(isDefault), ...found.channels.filter((channel) => !isDefault(channel))];
  for (const channel of ordered) {
    const described = reader.describe(channel);
    if (described !== undefined) return described;
  }
  return undefined;
}
