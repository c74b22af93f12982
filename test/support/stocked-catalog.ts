import { createCatalogView } from '../../src/catalog/index.ts';
import { type Property, parseVersion } from '../../src/constraints/index.ts';
import type { CatalogBundle, CatalogPackage, CatalogView, Channel, ChannelEntry } from '../../src/resolver/index.ts';

/** It provides the kind, of `g.io/v1`. */
export function provides(kind: string, version = 'v1'): Property {
  return { type: 'olm.gvk', value: { group: 'g.io', version, kind } };
}

/** It needs the kind, of `g.io/v1`. */
export function needsApi(kind: string): Property {
  return { type: 'olm.gvk.required', value: { group: 'g.io', version: 'v1', kind } };
}

/** It needs a version of another package. */
export function needsPackage(packageName: string, versionRange: string): Property {
  return { type: 'olm.package.required', value: { packageName, versionRange } };
}

/** `1.1.0 <1.0.0 s:0.9.0 R:>=0.1.0 <1.1.0`: an entry, what it replaces (a version, or a whole name), what it skips, its range. */
function entryOf(packageName: string, text: string): ChannelEntry {
  const nameOf = (version: string): string => (/^[0-9]/.test(version) ? `${packageName}.v${version}` : version);
  const [edges = '', skipRange] = text.split(' R:');
  const [version = '', ...parts] = edges.trim().split(/\s+/);
  const replaced = parts.find((part) => part.startsWith('<'))?.slice(1);
  return {
    name: nameOf(version),
    skips: parts.filter((part) => part.startsWith('s:')).map((part) => nameOf(part.slice(2))),
    ...(replaced !== undefined && { replaces: nameOf(replaced) }),
    ...(skipRange !== undefined && { skipRange: skipRange.trim() }),
  };
}

/** A package from channels drawn in short, entries between `;`, the default one first; and the properties of its bundles by version. */
export function stockedPackage(
  name: string,
  drawing: Readonly<Record<string, string>>,
  properties: Readonly<Record<string, readonly Property[]>> = {},
): CatalogPackage {
  const channels = Object.entries(drawing).map(
    ([channel, text]): Channel => ({ name: channel, entries: text.split(';').map((entry) => entryOf(name, entry)) }),
  );
  const names = new Set(channels.flatMap(({ entries }) => entries.map((entry) => entry.name)));
  const bundles = [...names].map((bundle): [string, CatalogBundle] => {
    const version = bundle.slice(`${name}.v`.length);
    const own: Property = { type: 'olm.package', value: { packageName: name, version } };
    const all = [own, ...(properties[version] ?? [])];
    return [bundle, { name: bundle, packageName: name, version: parseVersion(version), properties: all }];
  });
  const byName = channels.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { name, defaultChannel: channels[0]?.name ?? '', channels: byName, bundles: new Map(bundles) };
}

/** A catalog of namespace `ns` that has the packages and nothing else. */
export function stockedCatalog(
  name: string,
  packages: readonly CatalogPackage[],
  options: { readonly priority?: number; readonly namespace?: string } = {},
): CatalogView {
  return createCatalogView(
    { name, namespace: 'ns', ...options },
    new Map(packages.map((one): [string, CatalogPackage] => [one.name, one])),
  );
}
