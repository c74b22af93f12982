import { type ContentLimits, defaultContentLimits } from '../src/base/index.ts';
import { inRange, type OptionSpec, type OptionValues } from './command/index.ts';

const mebibyte = 1024 * 1024;

/** The settings of ClusterCatalogs, checked. */
export interface CatalogConfig {
  /** They are looked after and served. */
  readonly hasClusterCatalogs: boolean;
  /** They can be asked by GraphQL, too. */
  readonly hasCatalogGraphql: boolean;
  /** Of their images. */
  readonly catalogLimits: ContentLimits;
}

/** Of ClusterCatalogs, which are validated when they change. */
export const reviewedCatalogsOption: OptionSpec = {
  name: 'cluster-catalogs',
  kind: 'flag',
  default: true,
  description:
    'Do not reconcile ClusterCatalogs, for example because catalogd does. By default they are labelled with their names.',
};

/** Of ClusterCatalogs, wherever they are looked after. */
export const catalogOptions: readonly OptionSpec[] = [
  {
    ...reviewedCatalogsOption,
    description:
      'Do not reconcile ClusterCatalogs, for example because catalogd does. By default their images are unpacked and served.',
  },
  {
    name: 'catalog-graphql',
    kind: 'flag',
    default: false,
    description: 'Serve GraphQL queries over ClusterCatalogs.',
  },
  {
    name: 'max-catalog-size',
    kind: 'number',
    placeholder: 'MIB',
    default: 1024,
    description: 'Maximum size of the catalog of a ClusterCatalog, in MiB.',
  },
];

/** @throws TerminalError InvalidOption */
export function readCatalogConfig(values: OptionValues): CatalogConfig {
  const mebibytes = inRange('max-catalog-size', values['max-catalog-size'] as number, [1, 1024 * 1024]);
  return {
    hasClusterCatalogs: values['cluster-catalogs'] as boolean,
    hasCatalogGraphql: values['catalog-graphql'] as boolean,
    catalogLimits: Object.freeze({ ...defaultContentLimits, unpackedBytes: mebibytes * mebibyte }),
  };
}
