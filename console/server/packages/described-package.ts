import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';

/** A package as `longshore catalog describe -o json` prints it. */
export interface DescribedPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly deprecation?: string;
  readonly channelNames: readonly string[];
  readonly channels: readonly {
    readonly name: string;
    readonly deprecation?: string;
    readonly entries: readonly { readonly name: string; readonly version: string; readonly deprecation?: string }[];
    readonly csv: JsonObject;
  }[];
}

function deprecated({ deprecation }: { readonly deprecation?: string }): JsonObject {
  return deprecation === undefined ? {} : { deprecation: { message: deprecation } };
}

/** A ClusterServiceVersion as a PackageManifest describes it, with its icon and the descriptors of its definitions. */
function headOf(csv: JsonObject): JsonObject {
  const annotations = objectAt(csv, 'metadata', 'annotations') ?? {};
  return { ...objectAt(csv, 'spec'), annotations };
}

/** A package of a ClusterCatalog in the form of a PackageManifest, so that pages read both alike. */
export function manifestOf(catalog: string, described: DescribedPackage): KubeObject {
  const { name, defaultChannel, channels, channelNames } = described;
  const head = channels.find((channel) => channel.name === defaultChannel) ?? channels[0];
  const provider = objectAt(head?.csv, 'spec', 'provider') ?? {};
  const known = new Map(channels.map((channel) => [channel.name, channel]));
  return {
    apiVersion: 'packages.operators.coreos.com/v1',
    kind: 'PackageManifest',
    metadata: { name },
    status: {
      catalogSource: catalog,
      catalogSourceNamespace: '',
      catalogSourceDisplayName: catalog,
      packageName: name,
      provider,
      defaultChannel,
      ...deprecated(described),
      channels: channelNames.map((channelName): JsonObject => {
        const channel = known.get(channelName);
        if (channel === undefined) return { name: channelName };
        return {
          name: channelName,
          ...deprecated(channel),
          currentCSV: textAt(objectAt(channel.csv, 'metadata'), 'name'),
          currentCSVDesc: headOf(channel.csv),
          entries: channel.entries.map((entry) => ({ name: entry.name, version: entry.version, ...deprecated(entry) })),
        };
      }),
    },
  } as unknown as KubeObject;
}

/** Checks what the program printed: a list of packages. */
export function readDescribed(output: unknown): readonly DescribedPackage[] {
  if (!Array.isArray(output)) return [];
  return output.flatMap((item: JsonObject): DescribedPackage[] => {
    const channels = objectsAt(item, 'channels').map((channel) => ({
      name: textAt(channel, 'name'),
      ...(textAt(channel, 'deprecation') === '' ? {} : { deprecation: textAt(channel, 'deprecation') }),
      entries: objectsAt(channel, 'entries').map((entry) => ({
        name: textAt(entry, 'name'),
        version: textAt(entry, 'version'),
        ...(textAt(entry, 'deprecation') === '' ? {} : { deprecation: textAt(entry, 'deprecation') }),
      })),
      csv: objectAt(channel, 'csv') ?? {},
    }));
    return [
      {
        name: textAt(item, 'name'),
        defaultChannel: textAt(item, 'defaultChannel'),
        ...(textAt(item, 'deprecation') === '' ? {} : { deprecation: textAt(item, 'deprecation') }),
        channelNames: listOfTexts(item, 'channelNames'),
        channels,
      },
    ];
  });
}
