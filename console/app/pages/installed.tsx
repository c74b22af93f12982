import type { JSX } from 'preact';
import type { Installation, StatusWord } from '../../server/wire.ts';
import { installationPath, setQuery, usePlace } from '../lib/router.ts';
import { settings } from '../lib/settings.ts';
import { useStore } from '../lib/store.ts';
import { useWatch, type Watched } from '../lib/watches.ts';
import { texts } from '../texts.ts';
import { Ago, Changing, Notice, Status } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Empty, WatchContent } from '../ui/states.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';

/** What is bad comes first. */
const order: readonly StatusWord[] = [
  'Failed',
  'Degraded',
  'Waiting',
  'Progressing',
  'Deleting',
  'Unknown',
  'Paused',
  'Healthy',
];
const heights = { comfortable: 44, compact: 34 } as const;

type Sorting = 'status' | 'name' | 'age';

const comparisons: Readonly<Record<Sorting, (a: Installation, b: Installation) => number>> = {
  status: (a, b) => order.indexOf(a.status) - order.indexOf(b.status) || a.name.localeCompare(b.name),
  name: (a, b) => a.name.localeCompare(b.name),
  age: (a, b) => (a.createdAt < b.createdAt ? 1 : -1),
};

function matches(one: Installation, query: URLSearchParams): boolean {
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/);
  const text = `${one.name} ${one.namespace} ${one.version} ${one.source} ${one.kind}`.toLowerCase();
  const status = query.get('status') ?? '';
  const kind = query.get('kind') ?? '';
  return (
    words.every((word) => text.includes(word)) &&
    (status === '' || one.status === status) &&
    (kind === '' || one.kind === kind)
  );
}

function Row({ one }: { readonly one: Installation }): JSX.Element {
  return (
    <a class="grid-row" key={one.uid} href={installationPath(one)}>
      <span class="truncate">
        <span class="name">{one.name}</span>{' '}
        <span class="muted">{one.message === '' ? one.namespace : one.message}</span>
      </span>
      <Changing value={one.status}>
        <Status word={one.status} />
      </Changing>
      <span class="optional truncate" title={one.version}>
        {one.version}
        {one.available !== '' && <span class="tone-progress"> → {one.available}</span>}
      </span>
      <span class="optional muted truncate">{one.kind}</span>
      <span class="optional">
        <Ago time={one.createdAt} />
      </span>
    </a>
  );
}

function Filters({ all, shown }: { readonly all: readonly Installation[]; readonly shown: number }): JSX.Element {
  const { query } = usePlace();
  const kinds = [...new Set(all.map(({ kind }) => kind))].toSorted();
  const statuses = order.filter((word) => all.some(({ status }) => status === word));
  return (
    <div class="toolbar">
      <SearchField label={texts.installed.search} />
      <select
        aria-label={texts.installed.status}
        value={query.get('status') ?? ''}
        onChange={(event) => setQuery({ status: event.currentTarget.value })}
      >
        <option value="">
          {texts.installed.status}: {texts.installed.all}
        </option>
        {statuses.map((word) => (
          <option key={word} value={word}>
            {texts.status[word]}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.installed.kind}
        value={query.get('kind') ?? ''}
        onChange={(event) => setQuery({ kind: event.currentTarget.value })}
      >
        <option value="">
          {texts.installed.kind}: {texts.installed.all}
        </option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {kind}
          </option>
        ))}
      </select>
      <span class="muted" aria-live="polite">
        {texts.installed.count(shown, all.length)}
      </span>
    </div>
  );
}

function Header({ sorting }: { readonly sorting: Sorting }): JSX.Element {
  const title = (by: Sorting, text: string): JSX.Element => (
    <button
      type="button"
      class="button quiet"
      style={{ justifyContent: 'start', padding: 0 }}
      aria-pressed={sorting === by}
      onClick={() => setQuery({ sort: by === 'status' ? '' : by })}
    >
      {text}
      {sorting === by ? ' ↓' : ''}
    </button>
  );
  return (
    <div class="grid-row header">
      {title('name', texts.installed.name)}
      {title('status', texts.installed.status)}
      <span class="optional">{texts.installed.version}</span>
      <span class="optional">{texts.installed.kind}</span>
      <span class="optional">{title('age', texts.installed.age)}</span>
    </div>
  );
}

/** Some kinds may be forbidden while others are listed. */
function Partial({ watched: { message } }: { readonly watched: Watched<Installation> }): JSX.Element | null {
  return message === '' ? null : (
    <Notice tone="info" title={texts.installed.partial}>
      <span class="muted break">{message}</span>
    </Notice>
  );
}

/** Everything that is installed, in one list. */
export function Installed(): JSX.Element {
  const { query } = usePlace();
  const { density } = useStore(settings);
  const installed = useWatch<Installation>('installed');
  const sort = query.get('sort');
  const sorting: Sorting = sort === 'name' || sort === 'age' ? sort : 'status';
  const empty = (
    <Empty title={texts.installed.empty}>
      <p>{texts.installed.emptyHint}</p>
      <a class="button primary" href="/catalog">
        {texts.overview.startCatalog}
      </a>
    </Empty>
  );
  return (
    <div class="stack">
      <h1>{texts.pages.installed}</h1>
      <WatchContent watched={installed} empty={empty}>
        {(all) => {
          const shown = all.filter((one) => matches(one, query)).toSorted(comparisons[sorting]);
          return (
            <>
              <Partial watched={installed} />
              <Filters all={all} shown={shown.length} />
              <section class="panel">
                <Header sorting={sorting} />
                {shown.length === 0 ? (
                  <Empty icon="search" title={texts.installed.noMatch}>
                    <button type="button" class="button" onClick={() => setQuery({ q: '', status: '', kind: '' })}>
                      {texts.installed.clear}
                    </button>
                  </Empty>
                ) : (
                  <VirtualList rows={shown} rowHeight={heights[density]} label={texts.pages.installed}>
                    {(one) => <Row key={one.uid} one={one} />}
                  </VirtualList>
                )}
              </section>
            </>
          );
        }}
      </WatchContent>
    </div>
  );
}
