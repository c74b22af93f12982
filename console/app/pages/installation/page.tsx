import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation } from '../../../server/wire.ts';
import { objectPath, request } from '../../lib/api.ts';
import { installationPath, setQuery, usePlace } from '../../lib/router.ts';
import { useObjects, useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { ActionDialog, PermittedButton } from '../../ui/action.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Ago, Dialog, Reference, Status } from '../../ui/parts.tsx';
import { Empty, PageState, stateOf } from '../../ui/states.tsx';
import { Yaml } from '../../ui/yaml.tsx';
import { Changes } from './changes.tsx';
import { Events } from './events.tsx';
import { History } from './history.tsx';
import { type ApiObject, installationKinds } from './kinds.ts';
import { Log } from './log.tsx';
import { Objects } from './objects.tsx';
import { Permissions } from './permissions.tsx';
import { PlanDialog } from './plan.tsx';
import { RemoveButton } from './remove.tsx';
import { Summary } from './summary.tsx';

type Tab = keyof typeof texts.installation.tabs;

const tabs = Object.keys(texts.installation.tabs) as Tab[];
/** What is recorded for BundleDeployments alone. */
const deploymentTabs: ReadonlySet<Tab> = new Set(['history', 'permissions']);
const pausedAnnotation = 'core.rukpak.io/paused';

interface Shown {
  readonly one: Installation;
  readonly object: ApiObject | undefined;
}

function PauseButton({ one, object }: Shown): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const kind = installationKinds['BundleDeployment'];
  if (one.kind !== 'BundleDeployment' || kind === undefined) return null;
  const isPaused = object?.metadata.annotations?.[pausedAnnotation] !== undefined;
  const body = { metadata: { annotations: { [pausedAnnotation]: isPaused ? null : 'true' } } };
  const path = `${objectPath(kind, '', one.name)}?fieldManager=longshore-console`;
  const title = isPaused ? texts.installation.resumeTitle(one.name) : texts.installation.pauseTitle(one.name);
  const access = { verb: 'patch', group: kind.group, resource: kind.plural, name: one.name };
  return (
    <>
      <PermittedButton access={access} onClick={() => setOpen(true)}>
        <Icon name="paused" />
        {isPaused ? texts.installation.resume : texts.installation.pause}
      </PermittedButton>
      {isOpen && (
        <ActionDialog
          title={title}
          line={`kubectl annotate bundledeployment ${one.name} ${pausedAnnotation}${isPaused ? '-' : '=true'}`}
          run={() => request(path, { method: 'PATCH', body, type: 'application/merge-patch+json' })}
          button={title}
          done={isPaused ? texts.installation.resumed(one.name) : texts.installation.paused(one.name)}
          onClose={() => setOpen(false)}
        >
          <p>{isPaused ? texts.installation.resumeHint : texts.installation.pauseHint}</p>
        </ActionDialog>
      )}
    </>
  );
}

function ApproveButton({ one }: { readonly one: Installation }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (one.pendingPlan === '') return null;
  const access = {
    verb: 'update',
    group: 'operators.coreos.com',
    resource: 'installplans',
    namespace: one.namespace,
    name: one.pendingPlan,
  };
  return (
    <>
      <PermittedButton access={access} className="primary" onClick={() => setOpen(true)}>
        <Icon name="check" />
        {texts.installation.approve}
      </PermittedButton>
      {isOpen && <PlanDialog one={one} onClose={() => setOpen(false)} />}
    </>
  );
}

function Head({ one, object }: Shown): JSX.Element {
  const [isYaml, setYaml] = useState(false);
  return (
    <header class="head">
      <div class="title">
        <h1>{one.name}</h1>
        <Status word={one.status} isPill />
        {one.version !== '' && <span class="mono">{one.version}</span>}
        {one.available !== '' && <span class="chip">{texts.installed.update(one.available)}</span>}
      </div>
      <div class="facts">
        <span>
          {one.kind}
          {one.namespace !== '' && ` in ${one.namespace}`}
        </span>
        {one.source !== '' && <Reference text={one.source} />}
        <Ago time={one.createdAt} suffix=" old" />
      </div>
      <div class="toolbar">
        <ApproveButton one={one} />
        <button type="button" class="button" onClick={() => setQuery({ tab: 'changes' })}>
          {one.kind === 'BundleDeployment' ? texts.installation.upgrade : texts.installation.change}
        </button>
        <PauseButton one={one} object={object} />
        <button type="button" class="button" data-key="yaml" onClick={() => setYaml(true)}>
          {texts.installation.yaml}
        </button>
        <RemoveButton one={one} />
      </div>
      {isYaml && object !== undefined && (
        <Dialog title={one.name} onClose={() => setYaml(false)} className="wide">
          <div class="content">
            <h2>{one.name}</h2>
            <Yaml value={object} />
          </div>
        </Dialog>
      )}
    </header>
  );
}

function Tabs({ one, tab }: { readonly one: Installation; readonly tab: Tab }): JSX.Element {
  // Everything but a Subscription is installed by a BundleDeployment.
  const isDeployed = one.kind !== 'Subscription';
  const shown = tabs.filter((name) => isDeployed || !deploymentTabs.has(name));
  return (
    <nav class="tabs" aria-label={one.name}>
      {shown.map((name) => (
        <a
          key={name}
          href={`${installationPath(one)}${name === 'summary' ? '' : `?tab=${name}`}`}
          aria-current={name === tab ? 'page' : undefined}
        >
          {texts.installation.tabs[name]}
        </a>
      ))}
    </nav>
  );
}

function Content({ tab, one, object }: Shown & { readonly tab: Tab }): JSX.Element {
  if (tab === 'objects') return <Objects one={one} />;
  if (tab === 'changes') return <Changes one={one} object={object} />;
  if (tab === 'history') return <History one={one} />;
  if (tab === 'permissions') return <Permissions one={one} />;
  if (tab === 'events') return <Events one={one} />;
  if (tab === 'log') return <Log one={one} />;
  return <Summary one={one} object={object} />;
}

/** One installation. */
export function InstallationPage(props: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): JSX.Element {
  const { kind, namespace, name } = props;
  const { query } = usePlace();
  const known = installationKinds[kind];
  const installed = useWatch<Installation>('installed');
  const watch = known && `objects ${known.apiVersion} ${kind} ${namespace === '' ? '-' : namespace} ${name}`;
  const object = useObjects<ApiObject>(watch)[0]?.object;
  const one = installed.rows.get(`${kind}/${namespace}/${name}`);
  const tab = tabs.find((word) => word === query.get('tab')) ?? 'summary';
  if (one === undefined) {
    const state = stateOf(installed);
    if (state !== undefined) return <PageState title={name}>{state}</PageState>;
    return (
      <Empty title={texts.installation.missing} isPage>
        <p>{texts.installation.missingHint}</p>
        <a class="button" href="/installed">
          {texts.pages.installed}
        </a>
      </Empty>
    );
  }
  return (
    <div class="stack">
      <Head one={one} object={object} />
      <Tabs one={one} tab={tab} />
      <Content tab={tab} one={one} object={object} />
    </div>
  );
}
