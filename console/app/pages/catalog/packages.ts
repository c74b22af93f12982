import type { Installation, PackageList, PackageRow } from '../../../server/wire.ts';
import { request } from '../../lib/api.ts';
import { type Loaded, useLoad, useRefresh } from '../../lib/load.ts';
import { pathTo } from '../../lib/router.ts';

/** How often packages are loaded again; sooner while a catalog is being read. */
const refreshMs = 10_000;
const readingMs = 1_500;

/** Whether a catalog is being read, whose packages follow. */
export function isReadingCatalogs(list: PackageList | undefined): boolean {
  return list?.unread.some(({ why }) => why === '') === true;
}

/** The packages of all catalogs of the cluster. */
export function usePackages(key = 'packages'): Loaded<PackageList> {
  const packages = useLoad(key, (signal) => request<PackageList>('/api/packages', { signal }));
  useRefresh(packages, isReadingCatalogs(packages.value) ? readingMs : refreshMs);
  return packages;
}

/** In addresses, of ClusterCatalogs. */
export const noNamespace = '-';

/** The page of a package. */
export function packagePath({ catalogNamespace, catalog, name }: PackageRow): string {
  return pathTo('catalog', catalogNamespace === '' ? noNamespace : catalogNamespace, catalog, name);
}

/** What installs a package: Subscriptions to it, or the kinds that ClusterCatalogs are for. */
export function installationsOf(row: PackageRow, installed: readonly Installation[]): readonly Installation[] {
  if (row.catalogNamespace === '') {
    return installed.filter(({ kind, source }) => {
      return ['ClusterExtension', 'PlatformOperator'].includes(kind) && source.split(' ')[0] === row.name;
    });
  }
  const source = `${row.name} of ${row.catalogNamespace}/${row.catalog},`;
  return installed.filter((one) => one.kind === 'Subscription' && one.source.startsWith(source));
}

const facetNames = ['catalog', 'capability', 'mode', 'provider'] as const;
/** What packages are filtered by. */
export type Facet = (typeof facetNames)[number];

/** The values that a package has of a facet. */
export function facetValues(row: PackageRow, facet: Facet): readonly string[] {
  if (facet === 'mode') return row.installModes;
  const value = { catalog: row.catalogTitle, capability: row.capability, provider: row.provider }[facet];
  return value === '' ? [] : [value];
}

/** Whether a package matches the filters of the address. */
export function isMatch(row: PackageRow, query: URLSearchParams): boolean {
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/);
  const { name, title, summary, keywords, apis, categories, provider } = row;
  const text = [name, title, summary, provider, ...keywords, ...apis, ...categories].join(' ').toLowerCase();
  const isShown = !row.isDeprecated || query.get('current') !== 'yes';
  const isOfFacets = facetNames.every((facet) => {
    const value = query.get(facet) ?? '';
    return value === '' || facetValues(row, facet).includes(value);
  });
  return isShown && isOfFacets && words.every((word) => text.includes(word));
}
