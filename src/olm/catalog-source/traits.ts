import type { CatalogSource } from '../../api/index.ts';
import type { CatalogTraits } from '../catalog-content/catalog-store.ts';

/** The traits in a CatalogSource object. */
export function traitsOf({ metadata, spec }: CatalogSource): CatalogTraits {
  const { name, namespace = '', labels = {} } = metadata;
  return { name, namespace, priority: spec.priority ?? 0, labels };
}
