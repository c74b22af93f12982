import type { Dependency } from '../../constraints/index.ts';
import { offersFor } from '../../resolver/index.ts';
import type { CatalogViews } from '../cluster-catalog/views.ts';

const maxOffers = 3;

/** Clauses for a message about a dependency that is not met: which bundles of the cluster's catalogs would meet it. */
export function describeOffers(views: CatalogViews, dependency: Dependency): readonly string[] {
  using held = views.hold();
  const offers = offersFor(held.catalogs, dependency, { maxOffers });
  return offers.map(({ bundle, catalog }) => {
    const what = `${bundle.name} of catalog ${catalog.name} would meet it`;
    return `${what}: install it by a PlatformOperator for package ${bundle.packageName}`;
  });
}
