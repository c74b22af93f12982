import { isJsonObject, textAt } from '../../base/index.ts';
import type { GroupVersionKind } from '../../constraints/index.ts';
import type { CatalogPackage, CatalogView } from '../../resolver/index.ts';

/** What a catalog is called, and how it ranks; a priority of 0 and no labels by default. */
export type CatalogIdentity = Pick<CatalogView, 'name' | 'namespace'> &
  Partial<Pick<CatalogView, 'priority' | 'labels'>>;

function apiKey({ group, version, kind }: GroupVersionKind): string {
  return JSON.stringify([group, version, kind]);
}

function providersOf(packages: ReadonlyMap<string, CatalogPackage>): ReadonlyMap<string, readonly string[]> {
  const providers = new Map<string, Set<string>>();
  for (const { name, bundles } of packages.values()) {
    for (const { type, value } of Array.from(bundles.values()).flatMap(({ properties }) => properties)) {
      if (type !== 'olm.gvk' || !isJsonObject(value)) continue;
      const [group, version, kind] = [textAt(value, 'group'), textAt(value, 'version'), textAt(value, 'kind')];
      const key = apiKey({ group, version, kind });
      providers.set(key, (providers.get(key) ?? new Set()).add(name));
    }
  }
  return new Map(Array.from(providers, ([key, names]) => [key, Array.from(names).sort()]));
}

/** A catalog in memory. */
export function createCatalogView(
  identity: CatalogIdentity,
  packages: ReadonlyMap<string, CatalogPackage>,
): CatalogView {
  const names = Array.from(packages.keys()).sort();
  let providers: ReadonlyMap<string, readonly string[]> | undefined;
  return {
    priority: 0,
    labels: {},
    ...identity,
    packageNames: () => names,
    package: (name) => packages.get(name),
    packagesProviding: (api) => {
      providers ??= providersOf(packages);
      return providers.get(apiKey(api)) ?? [];
    },
  };
}
