import { type Property, parseTolerantVersion } from '../../src/constraints/index.ts';
import type { CatalogBundle, CatalogPackage, CatalogView, Channel, ChannelEntry } from '../../src/resolver/index.ts';

/** What of a drawn package is not usual. */
interface Drawn {
  /** `p` when absent. */
  readonly name?: string;
  /** By version, beside `olm.package`. */
  readonly properties?: Readonly<Record<string, readonly Property[]>>;
}

/** `1.2 <1.1 s:1.0 R:>=1.0.0 <1.2.0`: an entry, what it replaces, what it skips, its range. */
function drawnEntry(text: string, nameOf: (version: string) => string): ChannelEntry {
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

/** A package from channels drawn in short, entries between `;`. The first channel is the default. */
export function drawnPackage(
  drawing: Readonly<Record<string, string>>,
  deprecated: readonly string[] = [],
  { name: packageName = 'p', properties = {} }: Drawn = {},
): CatalogPackage {
  const nameOf = (version: string): string => `${packageName}.v${version}`;
  const channels = Object.entries(drawing).map(
    ([name, text]): Channel => ({ name, entries: text.split(';').map((entry) => drawnEntry(entry, nameOf)) }),
  );
  const names = new Set(channels.flatMap(({ entries }) => entries.map(({ name }) => name)));
  const bundles = [...names].map((name): [string, CatalogBundle] => {
    const text = name.slice(packageName.length + 2);
    const version = parseTolerantVersion(text);
    const deprecation = deprecated.includes(text) ? { deprecation: 'too old' } : {};
    const own = properties[text] ?? [];
    const identity = own.length === 0 ? [] : [{ type: 'olm.package', value: { packageName, version: text } }];
    const image = `registry.example/${packageName}:v${text}`;
    return [name, { name, packageName, version, image, properties: [...identity, ...own], ...deprecation }];
  });
  const byName = channels.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { name: packageName, defaultChannel: channels[0]?.name ?? '', channels: byName, bundles: new Map(bundles) };
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
    package: (requested) => packages.find((one) => one.name === requested),
    packagesProviding: (api) =>
      packages
        .filter(({ bundles }) =>
          [...bundles.values()].some(({ properties }) =>
            properties.some(({ type, value }) => type === 'olm.gvk' && JSON.stringify(value) === JSON.stringify(api)),
          ),
        )
        .map((one) => one.name)
        .toSorted(),
  };
}
