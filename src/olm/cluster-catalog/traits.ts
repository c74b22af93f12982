import type { ClusterCatalog } from '../../api/index.ts';
import type { CatalogTraits } from '../catalog-content/catalog-store.ts';

/** The traits in a ClusterCatalog object. */
export function traitsOf({ metadata, spec }: ClusterCatalog): CatalogTraits {
  return { priority: spec.priority ?? 0, labels: metadata.labels ?? {} };
}
