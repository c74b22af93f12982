import type { JSX } from 'preact';
import type { Installation } from '../../../server/wire.ts';
import { useLoad, useRefresh } from '../../lib/load.ts';
import { type Reference, type Relations, readRelations, referenceKey, type Standing } from '../../lib/relations.ts';
import { installationPath, pathTo, setQuery, usePlace } from '../../lib/router.ts';
import { useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { CommandLine, Notice, Panel, Status } from '../../ui/parts.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Failure, PageState, Skeleton } from '../../ui/states.tsx';

const maxRows = 200;
/** What bundles need is not watched: it is read again while the page is shown. */
const refreshMs = 15_000;

interface Known {
  readonly standings: ReadonlyMap<string, Standing>;
  readonly installed: ReadonlyMap<string, Installation>;
}

/** Leads to the installation that an object belongs to. */
function ReferenceLink({ to, known }: { readonly to: Reference; readonly known: Known }): JSX.Element {
  const { installation } = known.standings.get(referenceKey(to)) ?? { installation: to };
  const isInstallation = known.installed.has(referenceKey(installation));
  const place = installation.namespace === '' ? '' : `${installation.namespace}/`;
  const text = `${place}${installation.name}`;
  return isInstallation ? <a href={installationPath(installation)}>{text}</a> : <span>{text}</span>;
}

function References({ list, known }: { readonly list: readonly Reference[]; readonly known: Known }): JSX.Element {
  return (
    <>{list.map((to, index) => [index > 0 && ', ', <ReferenceLink key={referenceKey(to)} to={to} known={known} />])}</>
  );
}

/** What a user searches the catalog for: the package, or the kind of the API. */
function searchFor(need: string): string {
  return /^package (\S+)/.exec(need)?.[1] ?? /^API ([^.]+)\./.exec(need)?.[1] ?? '';
}

function Need({ need, known }: { readonly need: Standing['needs'][number]; readonly known: Known }): JSX.Element {
  const { text, isMet, metBy } = need;
  const search = searchFor(text);
  return (
    <li class="need">
      <span class={isMet ? 'tone-ok' : 'tone-danger'}>
        <Icon name={isMet ? 'check' : 'failed'} />
      </span>
      <span class="break">
        {text}{' '}
        <span class="muted">
          {isMet && metBy.length > 0 && (
            <>
              {texts.dependencies.metBy} <References list={metBy} known={known} />
            </>
          )}
          {isMet && metBy.length === 0 && texts.dependencies.byCluster}
        </span>
        {!isMet && (
          <>
            <strong class="tone-danger">{texts.dependencies.missing}</strong>{' '}
            {search !== '' && (
              <a href={`${pathTo('catalog')}?q=${encodeURIComponent(search)}`}>{texts.dependencies.find}</a>
            )}
          </>
        )}
      </span>
    </li>
  );
}

function Row({ standing, known }: { readonly standing: Standing; readonly known: Known }): JSX.Element {
  const { installation, version, isPending, needs, requiredBy } = standing;
  const one = known.installed.get(referenceKey(installation));
  return (
    <li class="relation">
      <div class="stack tight">
        <div class="row wrap">
          <strong>
            <ReferenceLink to={standing} known={known} />
          </strong>
          {version !== '' && <span class="mono">{version}</span>}
          {isPending && <span class="chip warning">{texts.dependencies.pending}</span>}
        </div>
        <div class="row wrap muted">
          {one !== undefined && <Status word={one.status} />}
          <span>{installation.kind}</span>
        </div>
      </div>
      <div>
        <p class="hint">{texts.dependencies.needs}</p>
        {needs.length === 0 ? (
          <p class="muted">{texts.dependencies.needsNothing}</p>
        ) : (
          <ul class="needs">
            {needs.map((need) => (
              <Need key={need.text} need={need} known={known} />
            ))}
          </ul>
        )}
      </div>
      <div>
        <p class="hint">{texts.dependencies.requiredBy}</p>
        {requiredBy.length === 0 ? (
          <p class="muted">{texts.dependencies.requiredByNone}</p>
        ) : (
          <>
            <p class="break">
              <References list={requiredBy} known={known} />
            </p>
            <p class="hint">{texts.dependencies.requiredByHint}</p>
          </>
        )}
      </div>
    </li>
  );
}

function isRelated({ needs, requiredBy }: Standing): boolean {
  return needs.length + requiredBy.length > 0;
}

function isLacking({ needs }: Standing): boolean {
  return needs.some(({ isMet }) => !isMet);
}

function isMatch(standing: Standing, words: readonly string[]): boolean {
  const { name, installation, needs } = standing;
  const text = [name, installation.name, installation.namespace, ...needs.map((need) => need.text)]
    .join(' ')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function answerOf(all: readonly Standing[]): string {
  const lacking = all.filter(isLacking).length;
  if (lacking > 0) return texts.dependencies.answerLacking(lacking);
  return all.some(isRelated) ? texts.dependencies.answerGood : texts.dependencies.answerNone;
}

function Tools(): JSX.Element {
  const { query } = usePlace();
  const isAll = query.get('all') === 'yes';
  return (
    <div class="toolbar">
      <SearchField label={texts.dependencies.search} />
      <label class="check">
        <input type="checkbox" checked={isAll} onChange={() => setQuery({ all: isAll ? '' : 'yes' })} />
        {texts.dependencies.showAll}
      </label>
    </div>
  );
}

/** Those that lack something come first, then those that others need. */
function weight(standing: Standing): number {
  if (isLacking(standing)) return 0;
  return standing.requiredBy.length > 0 ? 1 : isRelated(standing) ? 2 : 3;
}

function List({ relations, known }: { readonly relations: Relations; readonly known: Known }): JSX.Element {
  const { query } = usePlace();
  const isAll = query.get('all') === 'yes';
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/);
  const all = relations.installations;
  const matching = all.filter((one) => isMatch(one, words));
  const shown = matching
    .filter((one) => isAll || isRelated(one))
    .toSorted((a, b) => weight(a) - weight(b) || a.installation.name.localeCompare(b.installation.name));
  const others = isAll ? 0 : all.filter((one) => !isRelated(one)).length;
  return (
    <>
      {shown.length > 0 && (
        <Panel>
          <ul class="list">
            {shown.slice(0, maxRows).map((standing) => (
              <Row key={referenceKey(standing)} standing={standing} known={known} />
            ))}
          </ul>
        </Panel>
      )}
      {shown.length === 0 && matching.length < all.length && <Empty icon="search" title={texts.installed.noMatch} />}
      {shown.length > maxRows && <p class="muted">{texts.dependencies.more(shown.length - maxRows)}</p>}
      {others > 0 && <p class="muted">{texts.dependencies.others(others)}</p>}
      <CommandLine command={relations.command} />
    </>
  );
}

/** What needs what, who provides it, and what a removal would break. */
export function Dependencies(): JSX.Element {
  const installed = useWatch<Installation>('installed');
  // Relations change with what is installed, and with its versions.
  const key = [...installed.rows.values()].map(({ uid, version, status }) => `${uid} ${version} ${status}`).join();
  const found = useLoad(installed.state === 'loading' ? '' : `relations ${key}`, (signal) =>
    readRelations(undefined, signal),
  );
  useRefresh(found, refreshMs);
  const { installations = [], unread = '' } = found.value ?? {};
  // Where nothing could be read, that is the answer.
  const problem = found.thrown ?? (installations.length === 0 && unread !== '' ? new Error(unread) : undefined);
  if (found.value === undefined || problem !== undefined) {
    return (
      <PageState title={texts.pages.dependencies}>
        {problem === undefined ? <Skeleton lines={6} /> : <Failure thrown={problem} onRetry={found.reload} />}
      </PageState>
    );
  }
  const known: Known = {
    standings: new Map(installations.map((one) => [referenceKey(one), one])),
    installed: installed.rows,
  };
  return (
    <div class="stack">
      <div class="head">
        <h1>{installations.length === 0 ? texts.pages.dependencies : answerOf(installations)}</h1>
        <p class="muted">{texts.dependencies.hint}</p>
      </div>
      {unread !== '' && (
        <Notice tone="warning" title={texts.dependencies.incomplete}>
          <p class="message">{unread}</p>
        </Notice>
      )}
      {installations.length === 0 ? (
        <Empty icon="network" title={texts.dependencies.empty}>
          <p>{texts.dependencies.emptyHint}</p>
          <a class="button" href="/catalog">
            {texts.overview.startCatalog}
          </a>
        </Empty>
      ) : (
        <>
          <Tools />
          <List relations={found.value} known={known} />
        </>
      )}
    </div>
  );
}
