import type { JSX } from 'preact';
import type { Installation, PackageRow } from '../../../server/wire.ts';
import { type Loaded, useLoad } from '../../lib/load.ts';
import { installationPath, usePlace } from '../../lib/router.ts';
import { useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { Logo } from '../../ui/logo.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Notice, Panel, Status } from '../../ui/parts.tsx';
import { Empty, Failure, PageState, Skeleton } from '../../ui/states.tsx';
import { Channels } from './channels.tsx';
import { InstallForm } from './install/install.tsx';
import { InstanceButton } from './instance/instance.tsx';
import { defaultHead, type Head, type Manifest, readManifest } from './manifest.ts';
import { installationsOf, isReadingCatalogs, noNamespace, packagePath, usePackages } from './packages.ts';

const tabs = ['about', 'channels', 'install'] as const;

function safeLink(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? new URL(url).href : undefined;
}

function Facts({ row, head }: { readonly row: PackageRow; readonly head: Head }): JSX.Element {
  const { links = [], maintainers = [], maturity = '' } = head;
  const facts: readonly (readonly [string, string])[] = [
    [texts.catalog.version, row.version],
    [texts.catalog.provider2, row.provider],
    [texts.catalog.capability, row.capability],
    [texts.catalog.maturity, maturity],
    [texts.catalog.mode, row.installModes.join(', ')],
    [texts.catalog.catalogFacet, row.catalogNamespace === '' ? row.catalog : `${row.catalogNamespace}/${row.catalog}`],
    [texts.catalog.maintainers, maintainers.map(({ name }) => name ?? '').join(', ')],
  ];
  return (
    <Panel>
      <dl class="definition body">
        {facts
          .filter(([, value]) => value !== '')
          .map(([title, value]) => [<dt key={title}>{title}</dt>, <dd key={`${title} value`}>{value}</dd>])}
        {links.length > 0 && [
          <dt key="links">{texts.catalog.links}</dt>,
          <dd key="links value">
            {links.map(({ name, url }) => {
              const href = safeLink(url);
              return href === undefined ? null : (
                <a
                  key={href}
                  href={href}
                  target="_blank"
                  rel="noopener noreferrer nofollow"
                  style={{ display: 'block' }}
                >
                  {name ?? href}
                </a>
              );
            })}
          </dd>,
        ]}
      </dl>
    </Panel>
  );
}

function Provided(props: {
  readonly row: PackageRow;
  readonly head: Head;
  readonly own: readonly Installation[];
}): JSX.Element | null {
  const { row, head, own } = props;
  const owned = head.customresourcedefinitions?.owned ?? [];
  if (owned.length === 0) return null;
  return (
    <Panel title={texts.catalog.provides}>
      <ul class="list">
        {owned.map((api) => (
          <li key={`${api.name} ${api.version}`}>
            <div class="row wrap">
              <strong>{api.kind}</strong>
              <span class="chip">{api.version}</span>
            </div>
            <p class="muted break">{api.description}</p>
            <InstanceButton row={row} api={api} head={head} own={own} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function About(props: {
  readonly row: PackageRow;
  readonly manifest: Manifest;
  readonly own: readonly Installation[];
}): JSX.Element {
  const { row, manifest, own } = props;
  const { deprecation } = manifest.status;
  const head = defaultHead(manifest);
  return (
    <div class="split">
      <div class="stack">
        {deprecation?.message !== undefined && <Notice tone="warning" title={deprecation.message} />}
        <Panel>
          <div class="body">
            {head.description ? (
              <Markdown text={head.description} />
            ) : (
              <p class="muted">{texts.catalog.noDescription}</p>
            )}
          </div>
        </Panel>
      </div>
      <div class="stack">
        <Facts row={row} head={head} />
        <Provided row={row} head={head} own={own} />
      </div>
    </div>
  );
}

function InstalledAs({ rows }: { readonly rows: readonly Installation[] }): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <div class="row wrap">
      {rows.map((one) => (
        <a key={one.uid} class="chip" href={installationPath(one)}>
          <Status word={one.status} /> {one.namespace === '' ? one.name : one.namespace} {one.version}
        </a>
      ))}
    </div>
  );
}

function Content(props: {
  readonly tab: (typeof tabs)[number];
  readonly row: PackageRow;
  readonly manifest: Loaded<Manifest>;
  readonly own: readonly Installation[];
  readonly packages: readonly PackageRow[];
  readonly installed: readonly Installation[];
}): JSX.Element {
  const { tab, row, manifest, own, packages, installed } = props;
  if (manifest.thrown !== undefined) return <Failure thrown={manifest.thrown} onRetry={manifest.reload} />;
  if (manifest.value === undefined) return <Skeleton />;
  if (tab === 'channels') return <Channels row={row} installed={own} />;
  if (tab === 'install')
    return <InstallForm row={row} manifest={manifest.value} packages={packages} installed={installed} />;
  return <About row={row} manifest={manifest.value} own={own} />;
}

/** A package: what it is, its channels, and how it is installed. */
export function Package({ name, catalog }: { readonly name: string; readonly catalog: string }): JSX.Element {
  const { query } = usePlace();
  const packages = usePackages();
  const installed = useWatch<Installation>('installed');
  const isIt = (one: PackageRow): boolean =>
    one.name === name && (catalog === '' || `${one.catalogNamespace || noNamespace}/${one.catalog}` === catalog);
  const row = packages.value?.rows.find(isIt);
  const manifest = useLoad(row === undefined ? '' : packagePath(row), (signal) =>
    row === undefined ? Promise.reject(new Error(name)) : readManifest(row, signal),
  );
  const isUnknown = packages.value === undefined;
  // A catalog may be read at this moment.
  if (isUnknown || (row === undefined && isReadingCatalogs(packages.value))) {
    return (
      <PageState title={name}>
        {isUnknown && packages.thrown !== undefined ? (
          <Failure thrown={packages.thrown} onRetry={packages.reload} />
        ) : (
          <Skeleton />
        )}
      </PageState>
    );
  }
  if (row === undefined) return <Empty icon="catalog" title={`No catalog has the package ${name}`} isPage />;
  const own = installationsOf(row, [...installed.rows.values()]);
  const tab = tabs.find((word) => word === query.get('tab')) ?? 'about';
  return (
    <div class="stack">
      <header class="row" style={{ gap: '16px', alignItems: 'start' }}>
        <Logo row={row} />
        <div class="head grow">
          <div class="title">
            <h1>{row.title}</h1>
            <span class="mono">{row.version}</span>
            {row.isDeprecated && <span class="chip warning">{texts.catalog.deprecated}</span>}
          </div>
          <p class="muted">{row.provider}</p>
          <InstalledAs rows={own} />
        </div>
        <a class="button primary" href={`${packagePath(row)}?tab=install`}>
          {texts.catalog.installButton}
        </a>
      </header>
      <nav class="tabs" aria-label={row.title}>
        {tabs.map((word) => (
          <a
            key={word}
            href={`${packagePath(row)}${word === 'about' ? '' : `?tab=${word}`}`}
            aria-current={word === tab ? 'page' : undefined}
          >
            {texts.catalog[word]}
          </a>
        ))}
      </nav>
      <Content
        tab={tab}
        row={row}
        manifest={manifest}
        own={own}
        packages={packages.value.rows}
        installed={[...installed.rows.values()]}
      />
    </div>
  );
}
