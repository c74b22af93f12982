import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { StatusWord, WatchedObject } from '../../../server/wire.ts';
import { useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { ActionDialog, PermittedButton } from '../../ui/action.tsx';
import { Ago, Notice, Panel, Reference, Status } from '../../ui/parts.tsx';
import { Empty, WatchContent } from '../../ui/states.tsx';
import { type ClusterVersion, clusterVersionWatch, isTrue, updateAccess } from './cluster-version.ts';
import { Components } from './components.tsx';
import { UpdateProgress } from './progress.tsx';
import { ReleaseGraph } from './release-graph.tsx';
import { Targets } from './targets.tsx';
import { UpdateDialog } from './update-dialog.tsx';

function ClearButton({ version }: { readonly version: ClusterVersion }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const { version: name = '', image = '' } = version.spec?.desiredUpdate ?? {};
  if (name === '' && image === '') return null;
  return (
    <>
      <PermittedButton access={updateAccess} onClick={() => setOpen(true)}>
        {texts.updates.clear}
      </PermittedButton>
      {isOpen && (
        <ActionDialog
          title={texts.updates.clear}
          command="upgradeClear"
          body={{}}
          button={texts.updates.clearButton(name === '' ? image : name)}
          done={texts.updates.clear}
          onClose={() => setOpen(false)}
        >
          <p>{texts.updates.clearHint}</p>
        </ActionDialog>
      )}
    </>
  );
}

function ChannelButton({ version }: { readonly version: ClusterVersion }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const current = version.spec?.channel ?? '';
  const [channel, setChannel] = useState(current);
  const known = version.status?.desired?.channels ?? [];
  return (
    <>
      <PermittedButton access={updateAccess} onClick={() => setOpen(true)}>
        {texts.updates.channel}
      </PermittedButton>
      {isOpen && (
        <ActionDialog
          title={texts.updates.channel}
          command="upgradeChannel"
          body={{ channel }}
          button={texts.updates.channelButton(channel)}
          done={texts.updates.channelButton(channel)}
          isReady={channel !== '' && channel !== current}
          onClose={() => setOpen(false)}
        >
          <label class="field">
            {texts.catalog.channel}
            <input list="channels" value={channel} onInput={(event) => setChannel(event.currentTarget.value)} />
          </label>
          <datalist id="channels">
            {known.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </ActionDialog>
      )}
    </>
  );
}

function wordOf({ status }: ClusterVersion): StatusWord {
  if (isTrue(status?.conditions, 'Failing') !== undefined) return 'Degraded';
  if (isTrue(status?.conditions, 'Progressing') === undefined) return 'Healthy';
  return (status?.progress?.waitingFor ?? []).length > 0 ? 'Waiting' : 'Progressing';
}

/** The first line: what the cluster runs, and what it does. */
function Head({ version, onUpdate }: { readonly version: ClusterVersion; readonly onUpdate: () => void }): JSX.Element {
  const { desired = {}, history = [], conditions } = version.status ?? {};
  const current = history.find(({ state }) => state === 'Completed');
  const [latest] = history;
  const isUpdating = current !== undefined && desired.version !== current.version;
  const progressing = conditions?.find(({ type }) => type === 'Progressing');
  const since = isUpdating ? latest?.startedTime : current?.completionTime;
  return (
    <Panel title={texts.updates.cluster} aside={<Status word={wordOf(version)} isPill />}>
      <div class="body stack">
        <p>
          <strong class="version">
            {isUpdating ? `${current.version} → ${desired.version ?? desired.image}` : (desired.version ?? '—')}
          </strong>{' '}
          {progressing?.message} <Ago time={since ?? ''} />
        </p>
        {desired.image !== undefined && <Reference text={desired.image} />}
        <div class="toolbar">
          <PermittedButton access={updateAccess} className="primary" onClick={onUpdate}>
            {texts.updates.request}
          </PermittedButton>
          <ClearButton version={version} />
          <ChannelButton version={version} />
        </div>
      </div>
    </Panel>
  );
}

/** Conditions that a user should know before anything else. */
function Problems({ version }: { readonly version: ClusterVersion }): JSX.Element {
  const conditions = version.status?.conditions ?? [];
  const bad: Readonly<Record<string, readonly string[]>> = {
    Failing: ['True'],
    Invalid: ['True'],
    ReleaseAccepted: ['False'],
    RetrievedUpdates: ['False'],
    Upgradeable: ['False'],
  };
  // An update that is in progress is shown above.
  const found = conditions.filter(
    ({ type, status, message = '', reason }) =>
      message !== '' && bad[type]?.includes(status) && reason !== 'ClusterVersionUpdating',
  );
  return (
    <>
      {found.map(({ type, message = '', reason = '' }) => (
        <Notice key={type} tone={type === 'Failing' || type === 'Invalid' ? 'danger' : 'warning'} title={message}>
          <span class="muted">
            {type} {reason}
          </span>
        </Notice>
      ))}
    </>
  );
}

function History({ version }: { readonly version: ClusterVersion }): JSX.Element {
  const { history = [] } = version.status ?? {};
  return (
    <Panel title={texts.updates.history}>
      <div class="scroll" tabIndex={0} role="group" aria-label={texts.updates.history}>
        <table>
          <tbody>
            {history.map(({ version: name, state, startedTime = '', verified, acceptedRisks }) => (
              <tr key={`${name} ${startedTime}`}>
                <th scope="row">{name}</th>
                <td>{state}</td>
                <td>{verified === true ? texts.updates.verified : texts.updates.unverified}</td>
                <td class="break muted">{acceptedRisks}</td>
                <td>
                  <Ago time={startedTime} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Version({ version }: { readonly version: ClusterVersion }): JSX.Element {
  const [image, setImage] = useState<string | undefined>();
  return (
    <>
      <Head version={version} onUpdate={() => setImage('')} />
      <Problems version={version} />
      <UpdateProgress version={version} />
      <Targets version={version} onChoose={setImage} />
      <ReleaseGraph version={version} />
      <Components version={version} />
      <History version={version} />
      {image !== undefined && <UpdateDialog version={version} image={image} onClose={() => setImage(undefined)} />}
    </>
  );
}

/** The release of the cluster: what it runs, where it can go, and how far it is. */
export function Cluster(): JSX.Element {
  const watched = useWatch<WatchedObject<ClusterVersion>>(clusterVersionWatch);
  const empty = (
    <Panel title={texts.updates.cluster}>
      <Empty icon="refresh" title={texts.updates.noCluster}>
        {texts.updates.noClusterHint}
      </Empty>
    </Panel>
  );
  return (
    <WatchContent watched={watched} empty={empty} title={texts.updates.cluster}>
      {([row]) => (row === undefined ? empty : <Version version={row.object} />)}
    </WatchContent>
  );
}
