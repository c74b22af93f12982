import { isJsonObject, type JsonObject, parseJson, TerminalError } from '../base/index.ts';
import { compareVersions, formatVersion } from '../constraints/index.ts';
import type { CatalogBundle, CatalogPackage, Channel } from '../resolver/index.ts';
import { bundleManifests } from './grpc/bundle-message.ts';
import type { CatalogIndex } from './store/catalog-index.ts';

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

function csvOf(index: CatalogIndex, bundle: CatalogBundle, stated: JsonObject | undefined): JsonObject | undefined {
  const { name, packageName, version } = bundle;
  const [found] = index.metas({ schema: 'olm.bundle', package: packageName, name, limit: 1 });
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

/** A package with what its catalog has of its operators; undefined where there is none. Reads a document for each channel: some milliseconds.
 *  @throws TerminalError CatalogIndexUnusable */
export function describePackage(index: CatalogIndex, name: string): DescribedPackage | undefined {
  const found = index.package(name);
  if (found === undefined) return undefined;
  const [stated] = index.metas({ schema: 'olm.package', name, limit: 1 });
  const csvs = new Map<string, JsonObject | undefined>();
  const channels = found.channels.flatMap((channel): DescribedChannel[] => {
    const heads = index.members.channel(name, channel.name)?.heads ?? [];
    const head = heads.length === 1 ? found.bundles.get(heads[0] ?? '') : undefined;
    if (head === undefined) return [];
    if (!csvs.has(head.name)) csvs.set(head.name, csvOf(index, head, stated?.value));
    const csv = csvs.get(head.name);
    if (csv === undefined) return [];
    return [{ name: channel.name, ...deprecated(channel), entries: entriesOf(channel, found), csv }];
  });
  return { name, defaultChannel: found.defaultChannel, ...deprecated(found), channels };
}
