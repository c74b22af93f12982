import type { JSX } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import type { Installation } from '../server/wire.ts';
import { useKeys } from './lib/keys.ts';
import { usePlace } from './lib/router.ts';
import { session } from './lib/session.ts';
import { useStore } from './lib/store.ts';
import { now, relative } from './lib/time.ts';
import { toasts } from './lib/toasts.ts';
import { connection, useWatch } from './lib/watches.ts';
import { Bench } from './pages/bench/bench.tsx';
import { Catalog } from './pages/catalog/catalog.tsx';
import { Package } from './pages/catalog/package.tsx';
import { Dependencies } from './pages/dependencies/dependencies.tsx';
import { InstallationPage } from './pages/installation/page.tsx';
import { Installed } from './pages/installed.tsx';
import { Overview } from './pages/overview.tsx';
import { Resolve } from './pages/resolve.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { Updates } from './pages/updates/page.tsx';
import { texts } from './texts.ts';
import { Icon, type IconName } from './ui/icon.tsx';
import { KeyList } from './ui/key-list.tsx';
import { Palette } from './ui/palette.tsx';
import { Broken, Empty } from './ui/states.tsx';

const entries: readonly {
  readonly path: string;
  readonly title: string;
  readonly short?: string;
  readonly icon: IconName;
}[] = [
  { path: '/', title: texts.pages.overview, icon: 'house' },
  { path: '/installed', title: texts.pages.installed, icon: 'boxes' },
  { path: '/dependencies', title: texts.pages.dependencies, short: texts.app.dependenciesShort, icon: 'network' },
  { path: '/catalog', title: texts.pages.catalog, icon: 'catalog' },
  { path: '/updates', title: texts.pages.updates, icon: 'refresh' },
  { path: '/bench', title: texts.pages.bench, icon: 'bench' },
];

function Rail({ path, needing }: { readonly path: string; readonly needing: number }): JSX.Element {
  const isAt = (entry: string): boolean => (entry === '/' ? path === '/' : path.startsWith(entry));
  return (
    <nav class="rail" aria-label={texts.app.nav}>
      <a class="brand" href="/">
        <img src={new URL('./icon.svg', import.meta.url).href} alt="" />
        {texts.app.name}
      </a>
      {entries.map(({ path: target, title, short = '', icon }) => (
        <a key={target} class="entry" href={target} aria-current={isAt(target) ? 'page' : undefined}>
          <Icon name={icon} />
          <span class={short === '' ? '' : 'hide-narrow'}>{title}</span>
          {short !== '' && <span class="only-narrow">{short}</span>}
          {target === '/installed' && needing > 0 && (
            <span class="count" title={texts.app.needs(needing)}>
              {needing}
            </span>
          )}
        </a>
      ))}
      <div class="bottom">
        <a class="entry" href="/settings" aria-current={isAt('/settings') ? 'page' : undefined}>
          <Icon name="settings" />
          {texts.pages.settings}
        </a>
      </div>
    </nav>
  );
}

const titles: Readonly<Record<string, string>> = texts.pages;

function Crumbs({ parts }: { readonly parts: readonly string[] }): JSX.Element {
  const [page = 'overview', ...rest] = parts;
  const names = rest.filter((part) => part !== '-');
  return (
    <nav aria-label={texts.app.breadcrumb} class="grow">
      <ol class="crumbs">
        <li>{names.length === 0 ? (titles[page] ?? page) : <a href={`/${page}`}>{titles[page] ?? page}</a>}</li>
        {names.slice(-1).map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ol>
    </nav>
  );
}

function Stale(): JSX.Element | null {
  const { isOpen, lastMs } = useStore(connection);
  const nowMs = useStore(now);
  const isLocal = useStore(session)?.signedInBy === 'link';
  if (isOpen) return null;
  return (
    <div class="bar" role="status">
      <Icon name="warning" />
      <span>
        {texts.app.stale(relative(new Date(lastMs).toISOString(), nowMs))} {isLocal && texts.app.staleLink}
      </span>
    </div>
  );
}

function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useStore(toasts).map(({ id, text }) => (
        <div key={id} class="toast">
          <Icon name="check" />
          {text}
        </div>
      ))}
    </div>
  );
}

/** Pages without parts of their own in the path. */
const plainPages: Readonly<Record<string, () => JSX.Element>> = {
  dependencies: Dependencies,
  resolve: Resolve,
  updates: Updates,
  bench: Bench,
  settings: SettingsPage,
};

function Page({ parts }: { readonly parts: readonly string[] }): JSX.Element {
  const [page, ...rest] = parts;
  const [first = '', second = '', third = ''] = rest;
  if (page === undefined) return <Overview />;
  if (page === 'installed') {
    if (rest.length < 3) return <Installed />;
    const namespace = second === '-' ? '' : second;
    return <InstallationPage key={rest.join('/')} kind={first} namespace={namespace} name={third} />;
  }
  if (page === 'catalog') {
    return rest.length === 0 ? (
      <Catalog />
    ) : (
      <Package key={rest.join('/')} name={rest.at(-1) ?? ''} catalog={rest.length > 2 ? `${first}/${second}` : ''} />
    );
  }
  const Plain = Object.hasOwn(plainPages, page) ? plainPages[page] : undefined;
  if (Plain !== undefined) return <Plain />;
  return (
    <Empty title={texts.app.noPage} isPage>
      {texts.app.find}: Ctrl K
    </Empty>
  );
}

/** The page, or what is in its place when it cannot be drawn: an object or a catalog of others may have any form. */
function SafePage({ parts }: { readonly parts: readonly string[] }): JSX.Element {
  const [thrown, reset] = useErrorBoundary() as [unknown, () => void];
  return thrown === undefined ? <Page parts={parts} /> : <Broken thrown={thrown} onRetry={reset} />;
}

function SignedIn(): JSX.Element {
  const { parts, path } = usePlace();
  const [overlay, setOverlay] = useState<'' | 'palette' | 'keys'>('');
  const installed = useWatch<Installation>('installed');
  useKeys({ onPalette: () => setOverlay('palette'), onHelp: () => setOverlay('keys') });
  const needing = [...installed.rows.values()].filter(({ needsUser }) => needsUser).length;
  const title = parts.at(-1);
  useEffect(() => {
    const page = titles[parts[0] ?? 'overview'] ?? '';
    document.title = parts.length > 1 && title !== undefined ? `${title} · ${page} · Longshore` : `${page} · Longshore`;
  }, [path]);
  return (
    <div class="frame">
      <a class="visually-hidden skip" href="#content">
        {texts.app.skip}
      </a>
      <Rail path={path} needing={needing} />
      <div>
        <header class="topbar">
          <Crumbs parts={parts} />
          <button type="button" class="finder" onClick={() => setOverlay('palette')}>
            <Icon name="search" />
            <span>{texts.app.find}</span>
            <kbd>Ctrl K</kbd>
          </button>
          <span class="only-narrow">
            <a class="button icon-only" href="/settings" title={texts.pages.settings}>
              <Icon name="settings" />
              <span class="visually-hidden">{texts.pages.settings}</span>
            </a>
          </span>
        </header>
        <Stale />
        <main id="content" tabIndex={-1}>
          <SafePage key={path} parts={parts} />
        </main>
      </div>
      {overlay === 'palette' && <Palette installed={[...installed.rows.values()]} onClose={() => setOverlay('')} />}
      {overlay === 'keys' && <KeyList onClose={() => setOverlay('')} />}
      <Toasts />
    </div>
  );
}

/** Everything: the sign-in, or the page with its frame. */
export function Frame(): JSX.Element | null {
  const who = useStore(session);
  if (who === undefined) return null;
  return who === null ? <SignIn /> : <SignedIn />;
}
