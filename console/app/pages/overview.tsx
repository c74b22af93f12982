import type { JSX } from 'preact';
import type { EventRow, Installation } from '../../server/wire.ts';
import { installationPath } from '../lib/router.ts';
import { session } from '../lib/session.ts';
import { useStore } from '../lib/store.ts';
import { useWatch } from '../lib/watches.ts';
import { texts } from '../texts.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Ago, Panel, Status, StepIcon } from '../ui/parts.tsx';
import { WatchContent } from '../ui/states.tsx';
import { packagePath, usePackages } from './catalog/packages.ts';

const maxListed = 25;
const maxEvents = 14;

function isBusy({ status }: Installation): boolean {
  return status === 'Progressing' || status === 'Deleting';
}

/** The one line that answers how it is. */
function answerOf(all: readonly Installation[]): string {
  const needing = all.filter(({ needsUser }) => needsUser).length;
  const busy = all.filter(isBusy).length;
  if (all.length === 0) return texts.overview.answerNothing;
  if (needing > 0) return texts.overview.answerNeeds(needing);
  return busy > 0 ? texts.overview.answerBusy(busy) : texts.overview.answerGood;
}

function NeedsYou({ rows }: { readonly rows: readonly Installation[] }): JSX.Element {
  if (rows.length === 0) return <p class="body muted">{texts.overview.nothingNeeds}</p>;
  return (
    <ul class="list">
      {rows.slice(0, maxListed).map((one) => (
        <li key={one.uid} class="stack tight">
          <div class="row wrap">
            <a class="grow truncate" href={installationPath(one)}>
              <strong>{one.name}</strong>
            </a>
            <Status word={one.status} />
          </div>
          <p class="message muted">{one.message}</p>
          {one.advice.slice(0, 1).map((advice) => (
            <p key={advice} class="break">
              {advice}
            </p>
          ))}
          <a class="button" href={installationPath(one)}>
            {one.pendingPlan === '' ? texts.overview.open : texts.overview.approve}
          </a>
        </li>
      ))}
    </ul>
  );
}

function InProgress({ rows }: { readonly rows: readonly Installation[] }): JSX.Element {
  if (rows.length === 0) return <p class="body muted">{texts.overview.nothingRuns}</p>;
  return (
    <ul class="list">
      {rows.slice(0, maxListed).map((one) => {
        const step = one.steps.find(({ state }) => state !== 'done');
        return (
          <li key={one.uid} class="stack tight">
            <div class="row wrap">
              <a class="grow truncate" href={installationPath(one)}>
                <strong>{one.name}</strong>
              </a>
              <Status word={one.status} />
            </div>
            {step !== undefined && (
              <div class="row muted">
                <StepIcon state={step.state} />
                <span class="grow break">{step.text === '' ? step.title : step.text}</span>
                <Ago time={step.since === '' ? one.createdAt : step.since} />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Recent({ events }: { readonly events: readonly EventRow[] }): JSX.Element {
  if (events.length === 0) return <p class="body muted">{texts.overview.nothingRecent}</p>;
  return (
    <ul class="list">
      {events.slice(0, maxEvents).map((event) => (
        <li key={`${event.time} ${event.kind} ${event.name} ${event.reason}`}>
          <div class="row">
            <span class={event.type === 'Warning' ? 'tone-warning' : 'tone-idle'}>
              <Icon name={event.type === 'Warning' ? 'warning' : 'activity'} />
            </span>
            <span class="grow truncate">
              <strong>{event.reason}</strong>{' '}
              <span class="muted">
                {event.kind} {event.name}
              </span>
            </span>
            <Ago time={event.time} />
          </div>
          <p class="muted break">{event.message}</p>
        </li>
      ))}
    </ul>
  );
}

function StartTile(props: {
  readonly href: string;
  readonly icon: IconName;
  readonly title: string;
  readonly hint: string;
}): JSX.Element {
  const { href, icon, title, hint } = props;
  return (
    <a class="panel tile" href={href}>
      <span class="logo">
        <Icon name={icon} />
      </span>
      <strong>{title}</strong>
      <p>{hint}</p>
    </a>
  );
}

interface NextExample {
  readonly image: string;
  readonly title: string;
  readonly hint: string;
}

/** What to change the example bundle of a server on this machine to: first to a version that can be installed, then to one that cannot. */
function nextExample(all: readonly Installation[]): NextExample | undefined {
  const example = all.find(({ kind, name }) => kind === 'BundleDeployment' && name === 'combo');
  if (example?.status !== 'Healthy') return undefined;
  const [, image = '', version] = /^([\w.:/-]+\/combo):(v0\.0\.[23])(?: |$)/.exec(example.source) ?? [];
  if (version === undefined) return undefined;
  const { startChange, startChangeHint, startBreak, startBreakHint } = texts.overview;
  return version === 'v0.0.2'
    ? { image: `${image}:v0.0.3`, title: startChange, hint: startChangeHint }
    : { image: `${image}:v0.0.4`, title: startBreak, hint: startBreakHint };
}

const examplePackage = { name: 'tide-gauge', version: '0.1.0' };

/** Leads to the form that installs the example, filled in so that an update waits for approval; nothing where no catalog has it. */
function ExampleTile(): JSX.Element | null {
  const rows = usePackages().value?.rows ?? [];
  // One of a CatalogSource has plans to approve.
  const row = rows.find(({ name, catalogNamespace }) => name === examplePackage.name && catalogNamespace !== '');
  if (row === undefined) return null;
  const query = new URLSearchParams({ tab: 'install', version: examplePackage.version, approval: 'Manual' });
  return (
    <StartTile
      href={`${packagePath(row)}?${query.toString()}`}
      icon="boxes"
      title={texts.overview.startExample}
      hint={texts.overview.startExampleHint}
    />
  );
}

/** What to begin with: on an empty cluster, and as long as the examples of a server on this machine were not tried. */
function Start({ all }: { readonly all: readonly Installation[] }): JSX.Element | null {
  const isEmbedded = useStore(session)?.isEmbedded === true;
  const isTried = !isEmbedded || all.some(({ kind }) => kind !== 'BundleDeployment');
  const next = isEmbedded ? nextExample(all) : undefined;
  if (all.length > 0 && isTried && next === undefined) return null;
  return (
    <div class="tiles">
      {all.length === 0 && (
        <StartTile
          href="/catalog"
          icon="catalog"
          title={texts.overview.startCatalog}
          hint={texts.overview.startCatalogHint}
        />
      )}
      {!isTried && <ExampleTile />}
      {next !== undefined && (
        <StartTile
          href={`/installed/BundleDeployment/-/combo?tab=changes&image=${encodeURIComponent(next.image)}`}
          icon="activity"
          title={next.title}
          hint={next.hint}
        />
      )}
    </div>
  );
}

/** What needs the user, what is in progress, what was. */
export function Overview(): JSX.Element {
  const installed = useWatch<Installation>('installed');
  const events = useWatch<EventRow>('events');
  const all = [...installed.rows.values()];
  if (all.length === 0 && !['live', 'absent'].includes(installed.state)) {
    return (
      <div class="stack">
        <h1>{texts.pages.overview}</h1>
        <WatchContent watched={installed} empty={null}>
          {() => null}
        </WatchContent>
      </div>
    );
  }
  const needing = all.filter(({ needsUser }) => needsUser);
  const latest = [...events.rows.values()].toSorted((a, b) => (a.time < b.time ? 1 : -1));
  const healthy = all.filter(({ status }) => status === 'Healthy').length;
  return (
    <div class="stack">
      <div class="head">
        <h1>{answerOf(all)}</h1>
        {all.length > 0 && (
          <p>
            <a href="/installed?status=Healthy">{texts.overview.healthy(healthy)}</a>
          </p>
        )}
      </div>
      <Start all={all} />
      <div class="columns">
        <Panel title={texts.overview.needsYou} aside={<span class="muted">{needing.length}</span>}>
          <NeedsYou rows={needing} />
        </Panel>
        <Panel title={texts.overview.inProgress} aside={<span class="muted">{all.filter(isBusy).length}</span>}>
          <InProgress rows={all.filter(isBusy)} />
        </Panel>
        <Panel title={texts.overview.recent}>
          <WatchContent watched={events} empty={<Recent events={[]} />}>
            {() => <Recent events={latest} />}
          </WatchContent>
        </Panel>
      </div>
    </div>
  );
}
