import type { Dependency } from '../../constraints/index.ts';
import { preferred } from '../graph/updates.ts';
import type { CatalogBundle, CatalogView } from '../package.ts';
import { factsOf, isMetBy, packagesFor } from './requirement.ts';

/** A bundle of a catalog that would meet a dependency. */
export interface DependencyOffer {
  readonly catalog: CatalogView;
  readonly bundle: CatalogBundle;
}

/** Further packages of a catalog are not looked into. */
const maxPackages = 50;

/** What would meet a dependency: of each package of each catalog the bundle that is preferred, catalogs of higher priority first. */
export function offersFor(catalogs: readonly CatalogView[], dependency: Dependency): readonly DependencyOffer[] {
  const requirement = { text: '', description: '', dependency };
  const ranked = catalogs.toSorted((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1));
  return ranked.flatMap((catalog) => {
    const names = packagesFor(requirement, (api) => catalog.packagesProviding(api)) ?? [];
    return names.slice(0, maxPackages).flatMap((name): readonly DependencyOffer[] => {
      const bundles = preferred([...(catalog.package(name)?.bundles.values() ?? [])]);
      const bundle = bundles.find((one) => isMetBy(requirement, factsOf(one)));
      return bundle === undefined ? [] : [{ catalog, bundle }];
    });
  });
}
