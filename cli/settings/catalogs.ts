import { type ContentLimits, defaultContentLimits } from '../../src/base/index.ts';
import type { OptionValues } from '../command/index.ts';

const mebibyte = 1024 * 1024;

/** The settings of ClusterCatalogs, checked. */
export interface CatalogConfig {
  /** ClusterCatalogs are reconciled and served. */
  readonly hasClusterCatalogs: boolean;
  /** They can also be queried by GraphQL. */
  readonly hasCatalogGraphql: boolean;
  /** Of their images. */
  readonly catalogLimits: ContentLimits;
}

/** Option of the process that validates ClusterCatalogs. */
export const reviewedCatalogsOption = {
  'cluster-catalogs': {
    kind: 'flag',
    default: true,
    description:
      'Do not reconcile ClusterCatalogs, for example because catalogd does. By default they are labelled with their names.',
  },
} as const;

/** Options of the processes that reconcile ClusterCatalogs. */
export const catalogOptions = {
  'cluster-catalogs': {
    kind: 'flag',
    default: true,
    description:
      'Do not reconcile ClusterCatalogs, for example because catalogd does. By default their images are unpacked and served.',
  },
  'catalog-graphql': {
    kind: 'flag',
    default: false,
    description: 'Serve GraphQL queries over ClusterCatalogs.',
  },
  'max-catalog-size': {
    kind: 'number',
    placeholder: 'MIB',
    default: 1024,
    range: [1, 1_048_576],
    description: 'Maximum size of the catalog of a ClusterCatalog, in MiB.',
  },
} as const;

/** The settings of ClusterCatalogs from parsed options. */
export function readCatalogConfig(values: OptionValues<typeof catalogOptions>): CatalogConfig {
  return {
    hasClusterCatalogs: values['cluster-catalogs'],
    hasCatalogGraphql: values['catalog-graphql'],
    catalogLimits: Object.freeze({ ...defaultContentLimits, unpackedBytes: values['max-catalog-size'] * mebibyte }),
  };
}
