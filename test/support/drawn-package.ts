import { parseTolerantVersion } from '../../src/constraints/index.ts';
import type { CatalogBundle, CatalogPackage, CatalogView, Channel, ChannelEntry } from '../../src/resolver/index.ts';

function nameOf(version: string): string {
  return `p.v${version}`;
}

/** `1.2 <1.1 s:1.0 R:>=1.0.0 <1.2.0`: an entry, what it replaces, what it skips, its range. */
function drawnEntry(text: string): ChannelEntry {
  const [edges = '', skipRange] = text.split(' R:');
  const [version = '', ...parts] = edges.trim().split(/\s+/);
  const replaced = parts.find((part) => part.startsWith('<'))?.slice(1);
  const skips = parts.filter((part) => part.startsWith('s:')).map((part) => nameOf(part.slice(2)));
  return {
    name: nameOf(version),
    skips,
    ...(replaced !== undefined && { replaces: nameOf(replaced) }),
    ...(skipRange !== undefined && { skipRange: skipRange.trim() }),
  };
}

/** A package `p` from channels drawn in short, entries between `;`. The first channel is the default. */
export function drawnPackage(
  drawing: Readonly<Record<string, string>>,
  deprecated: readonly string[] = [],
): CatalogPackage {
  const channels = Object.entries(drawing).map(
    ([name, text]): Channel => ({ name, entries: text.split(';').map(drawnEntry) }),
  );
  const names = new Set(channels.flatMap(({ entries }) => entries.map(({ name }) => name)));
  const bundles = [...names].map((name): [string, CatalogBundle] => {
    const version = parseTolerantVersion(name.slice(3));
    const isDeprecated = deprecated.includes(name.slice(3));
    const image = `registry.example/p:${name}`;
    return [
      name,
      { name, packageName: 'p', version, image, properties: [], ...(isDeprecated && { deprecation: 'too old' }) },
    ];
  });
  const byName = channels.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { name: 'p', defaultChannel: channels[0]?.name ?? '', channels: byName, bundles: new Map(bundles) };
}

/** A catalog that has the packages and nothing else. */
export function drawnCatalog(
  packages: readonly CatalogPackage[],
  options: { readonly name?: string; readonly priority?: number; readonly labels?: Record<string, string> } = {},
): CatalogView {
  const { name = 'catalog', priority = 0, labels = {} } = options;
  return {
    name,
    priority,
    labels: { 'olm.operatorframework.io/metadata.name': name, ...labels },
    packageNames: () => packages.map((one) => one.name).toSorted(),
    package: (wanted) => packages.find((one) => one.name === wanted),
    packagesProviding: () => [],
  };
}
