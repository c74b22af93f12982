import { isJsonObject, type JsonObject, objectAt, textAt } from '../../base/index.ts';
import type { DescribedChannel, DescribedPackage } from '../../catalog/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { packagesApiVersion, packagesKind } from './api.ts';
import { csvDescription } from './csv-description.ts';

const supported = 'supported';
const platforms = ['operatorframework.io/os.linux', 'operatorframework.io/arch.amd64'] as const;

function deprecated({ deprecation }: { readonly deprecation?: string }): JsonObject {
  return deprecation === undefined ? {} : { deprecation: { message: deprecation } };
}

/** The channel that an installation without a channel is from: the one that is named, else the only one, else the first. */
function defaultChannelOf({ channels, defaultChannel }: DescribedPackage): DescribedChannel | undefined {
  return channels.find(({ name }) => name === defaultChannel) ?? channels[0];
}

function textsOf(map: JsonObject | undefined): Record<string, string> {
  const entries = Object.entries(map ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function providerOf(channel: DescribedChannel | undefined): { readonly name: string; readonly url: string } {
  const provider = objectAt(channel?.csv, 'spec', 'provider');
  return { name: textAt(provider, 'name'), url: textAt(provider, 'url') };
}

/** What the labels of a package are made of. */
export interface PackageTraits {
  readonly provider: { readonly name: string; readonly url: string };
  /** Of the head of its default channel. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The traits of a package, from its default channel. */
export function traitsOf(channel: DescribedChannel | undefined): PackageTraits {
  return { provider: providerOf(channel), labels: textsOf(objectAt(channel?.csv, 'metadata', 'labels')) };
}

/** Labels of a PackageManifest: those of its CatalogSource, of its provider and of the head of its default channel.
 *  @see docs/spec/olm-v0.md#packagemanifest */
export function labelsOf(source: KubeObject, { provider, labels: own }: PackageTraits): Record<string, string> {
  const { name = '', namespace = '' } = source.metadata;
  const labels: Record<string, string> = {
    ...source.metadata.labels,
    catalog: name,
    'catalog-namespace': namespace,
    provider: provider.name,
    'provider-url': provider.url,
    ...own,
  };
  for (const platform of platforms) {
    const prefix = platform.slice(0, platform.lastIndexOf('.'));
    if (!Object.keys(labels).some((key) => key.startsWith(prefix))) labels[platform] = supported;
  }
  return labels;
}

/** `metadata` of a PackageManifest, as it is listed in `namespace`. */
export function metadataOf(
  source: KubeObject,
  { name, labels, namespace }: { name: string; labels: Readonly<Record<string, string>>; namespace: string },
): JsonObject {
  const { creationTimestamp } = source.metadata;
  const created = typeof creationTimestamp === 'string' ? { creationTimestamp } : {};
  return { name, namespace, ...created, labels: { ...labels } };
}

function channelOf(channel: DescribedChannel): JsonObject {
  const { name, csv, entries } = channel;
  return {
    name,
    currentCSV: textAt(objectAt(csv, 'metadata'), 'name'),
    currentCSVDesc: csvDescription(csv),
    ...deprecated(channel),
    entries: entries.map((entry) => ({ name: entry.name, version: entry.version, ...deprecated(entry) })),
  };
}

/** A package of a CatalogSource as a PackageManifest in `namespace`.
 *  @see docs/spec/olm-v0.md#packagemanifest */
export function packageManifest(source: KubeObject, described: DescribedPackage, namespace: string): JsonObject {
  const spec = isJsonObject(source['spec']) ? source['spec'] : {};
  const { name: sourceName = '', namespace: sourceNamespace = '' } = source.metadata;
  const channel = defaultChannelOf(described);
  const { name, url } = providerOf(channel);
  const hasDefault = described.defaultChannel === '' && described.channels.length > 1;
  return {
    apiVersion: packagesApiVersion,
    kind: packagesKind,
    metadata: metadataOf(source, { name: described.name, labels: labelsOf(source, traitsOf(channel)), namespace }),
    spec: {},
    status: {
      catalogSource: sourceName,
      catalogSourceDisplayName: textAt(spec, 'displayName'),
      catalogSourcePublisher: textAt(spec, 'publisher'),
      catalogSourceNamespace: sourceNamespace,
      provider: { ...(name === '' ? {} : { name }), ...(url === '' ? {} : { url }) },
      packageName: described.name,
      ...deprecated(described),
      channels: described.channels.map(channelOf),
      defaultChannel: hasDefault ? '' : (channel?.name ?? ''),
    },
  };
}
