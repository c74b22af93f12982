import type { JSX } from 'preact';
import type { Installation, PackageList, PackageRow } from '../../../server/wire.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Logo } from '../../ui/logo.tsx';
import { CommandLine, Notice } from '../../ui/parts.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Failure, PageState, Skeleton } from '../../ui/states.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import {
  type Facet,
  facetValues,
  installationsOf,
  isMatch,
  isReadingCatalogs,
  packagePath,
  usePackages,
} from './packages.ts';

const facets: readonly (readonly [Facet, string])[] = [
  ['catalog', texts.catalog.catalogFacet],
  ['capability', texts.catalog.capability],
  ['mode', texts.catalog.mode],
  ['provider', texts.catalog.provider],
];
const maxFacetValues = 12;
const maxTiles = 300;

function FacetList({
  facet,
  title,
  rows,
}: {
  readonly facet: Facet;
  readonly title: string;
  readonly rows: readonly PackageRow[];
}): JSX.Element | null {
  const { query } = usePlace();
  const counts = new Map<string, number>();
  for (const value of rows.flatMap((row) => facetValues(row, facet))) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, maxFacetValues);
  const chosen = query.get(facet) ?? '';
  if (values.length < 2 && chosen === '') return null;
  return (
    <fieldset>
      <legend>{title}</legend>
      {values.map(([value, count]) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={chosen === value}
            onChange={() => setQuery({ [facet]: chosen === value ? '' : value })}
          />
          <span class="truncate grow" title={value}>
            {value}
          </span>
          <span class="muted">{count}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Tile({ row, isInstalled }: { readonly row: PackageRow; readonly isInstalled: boolean }): JSX.Element {
  return (
    <a class="panel tile" href={packagePath(row)}>
      <Logo row={row} />
      <span style={{ minWidth: 0 }}>
        <strong class="truncate" style={{ display: 'block' }}>
          {row.title}
        </strong>
        <span class="muted truncate" style={{ display: 'block' }}>
          {row.provider === '' ? row.catalogTitle : row.provider}
        </span>
      </span>
      <p>{row.summary}</p>
      <span class="chips">
        <span class="chip">{row.version}</span>
        {row.provider !== '' && <span class="chip">{row.catalogTitle}</span>}
        {isInstalled && (
          <span class="chip">
            <Icon name="check" />
            {texts.catalog.installed}
          </span>
        )}
        {row.isDeprecated && <span class="chip warning">{texts.catalog.deprecated}</span>}
      </span>
    </a>
  );
}

function ListRow({ row, isInstalled }: { readonly row: PackageRow; readonly isInstalled: boolean }): JSX.Element {
  return (
    <a class="grid-row" href={packagePath(row)}>
      <span class="truncate">
        <span class="name">{row.title}</span> <span class="muted">{row.summary}</span>
      </span>
      <span>{isInstalled ? texts.catalog.installed : ''}</span>
      <span class="optional truncate">{row.version}</span>
      <span class="optional muted truncate">{row.catalogTitle}</span>
      <span class="optional muted truncate">{row.capability}</span>
    </a>
  );
}

interface Found {
  readonly rows: readonly PackageRow[];
  readonly installed: readonly Installation[];
}

function Results({ rows, installed, isTiles }: Found & { readonly isTiles: boolean }): JSX.Element {
  if (rows.length === 0) return <Empty icon="search" title={texts.installed.noMatch} />;
  const isInstalled = (row: PackageRow): boolean => installationsOf(row, installed).length > 0;
  if (isTiles && rows.length <= maxTiles) {
    return (
      <div class="tiles">
        {rows.map((row) => (
          <Tile key={packagePath(row)} row={row} isInstalled={isInstalled(row)} />
        ))}
      </div>
    );
  }
  return (
    <section class="panel">
      <VirtualList rows={rows} rowHeight={44} label={texts.pages.catalog}>
        {(row) => <ListRow key={packagePath(row)} row={row} isInstalled={isInstalled(row)} />}
      </VirtualList>
    </section>
  );
}

function Tools({ shown, all }: { readonly shown: number; readonly all: number }): JSX.Element {
  const { query } = usePlace();
  const isTiles = query.get('view') !== 'rows';
  return (
    <div class="toolbar">
      <SearchField label={texts.catalog.search} />
      <button type="button" class="button" data-key="view" onClick={() => setQuery({ view: isTiles ? 'rows' : '' })}>
        <Icon name={isTiles ? 'list' : 'tiles'} />
        {isTiles ? texts.catalog.rows : texts.catalog.tiles}
      </button>
      <a class="button" href="/resolve">
        <Icon name="network" />
        {texts.pages.resolve}
      </a>
      <span class="muted" aria-live="polite">
        {texts.installed.count(shown, all)}
      </span>
    </div>
  );
}

/** Catalogs whose packages are not in the list. */
function Unread({ list }: { readonly list: PackageList['unread'] }): JSX.Element | null {
  const reading = list.filter(({ why }) => why === '').map(({ catalog }) => catalog);
  return (
    <>
      {list
        .filter(({ why }) => why !== '')
        .map(({ catalog, why }) => (
          <Notice key={catalog} tone="warning" title={texts.catalog.unread(catalog)}>
            <p class="message">{why}</p>
          </Notice>
        ))}
      {reading.length > 0 && (
        <p class="row muted" role="status">
          <Icon name="loading" className="spin" />
          {texts.catalog.reading(reading.join(', '))}
        </p>
      )}
    </>
  );
}

/** The packages of all catalogs. */
export function Catalog(): JSX.Element {
  const { query } = usePlace();
  const installed = useWatch<Installation>('installed');
  const catalogs = useWatch<unknown>('objects operators.coreos.com/v1alpha1 CatalogSource');
  // Catalogs that become ready bring packages.
  const packages = usePackages(`packages ${JSON.stringify([...catalogs.rows.values()]).length}`);
  const all = packages.value?.rows ?? [];
  const unread = packages.value?.unread ?? [];
  const isReading = isReadingCatalogs(packages.value);
  if (packages.value === undefined) {
    return (
      <PageState title={texts.pages.catalog}>
        {packages.thrown === undefined ? (
          <Skeleton lines={6} />
        ) : (
          <Failure thrown={packages.thrown} onRetry={packages.reload} />
        )}
      </PageState>
    );
  }
  const rows = all.filter((row) => isMatch(row, query)).toSorted((a, b) => a.title.localeCompare(b.title));
  return (
    <div class="stack">
      <h1>{texts.pages.catalog}</h1>
      <Unread list={unread} />
      {all.length === 0 && isReading ? (
        <Skeleton lines={6} />
      ) : all.length === 0 ? (
        <Empty icon="catalog" title={texts.catalog.empty}>
          <p>{texts.catalog.emptyHint}</p>
          <CommandLine command="longshore operator catalog add examples 127.0.0.1:15000/catalog:v1" />
          <button type="button" class="button" onClick={packages.reload}>
            <Icon name="refresh" />
            {texts.states.retry}
          </button>
        </Empty>
      ) : (
        <>
          <Tools shown={rows.length} all={all.length} />
          <div class="with-side">
            <div class="facets">
              {facets.map(([facet, title]) => (
                <FacetList key={facet} facet={facet} title={title} rows={all} />
              ))}
              <label class="check">
                <input
                  type="checkbox"
                  checked={query.get('current') === 'yes'}
                  onChange={() => setQuery({ current: query.get('current') === 'yes' ? '' : 'yes' })}
                />
                {texts.catalog.onlyCurrent}
              </label>
            </div>
            <Results rows={rows} installed={[...installed.rows.values()]} isTiles={query.get('view') !== 'rows'} />
          </div>
        </>
      )}
    </div>
  );
}
