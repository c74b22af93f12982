import type { JSX } from 'preact';
import type { StatusWord } from '../../server/wire.ts';
import { useObjects } from '../lib/watches.ts';
import { texts } from '../texts.ts';
import { Ago, Notice, Panel, Reference, Status } from '../ui/parts.tsx';
import { Empty } from '../ui/states.tsx';
import type { ApiObject } from './installation/kinds.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

interface Release {
  readonly version?: string;
  readonly image?: string;
}

interface Progress {
  readonly level?: number;
  readonly levels?: readonly { readonly level?: number; readonly state?: string }[];
}

interface VersionStatus {
  readonly desired?: Release;
  readonly history?: readonly {
    readonly version?: string;
    readonly state?: string;
    readonly completionTime?: string | null;
  }[];
  readonly availableUpdates?: readonly Release[] | null;
  readonly conditionalUpdates?: readonly {
    readonly release?: Release;
    readonly risks?: readonly { readonly name: string; readonly message?: string; readonly url?: string }[];
    readonly conditions?: readonly Condition[];
  }[];
  readonly conditions?: readonly Condition[];
  readonly progress?: Progress;
}

function conditionsOf(object: ApiObject): readonly Condition[] {
  return (object.status?.['conditions'] ?? []) as readonly Condition[];
}

function isTrue(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((one) => one.type === type && one.status === 'True');
}

function Versions({ status }: { readonly status: VersionStatus }): JSX.Element {
  const current = status.history?.find(({ state }) => state === 'Completed');
  return (
    <dl class="definition body">
      <dt>{texts.updates.current}</dt>
      <dd>{current?.version ?? '—'}</dd>
      <dt>{texts.updates.target}</dt>
      <dd>
        {status.desired?.version ?? '—'}{' '}
        {status.desired?.image !== undefined && <Reference text={status.desired.image} />}
      </dd>
    </dl>
  );
}

function Available({ status }: { readonly status: VersionStatus }): JSX.Element {
  const updates = status.availableUpdates ?? [];
  const risky = status.conditionalUpdates ?? [];
  return (
    <>
      <Panel title={texts.updates.available}>
        {updates.length === 0 ? (
          <p class="body muted">{texts.updates.none}</p>
        ) : (
          <ul class="list">
            {updates.map((one) => (
              <li key={one.image} class="row wrap">
                <strong>{one.version}</strong> <Reference text={one.image ?? ''} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {risky.length > 0 && (
        <Panel title={texts.updates.risks}>
          <ul class="list">
            {risky.map(({ release, risks = [], conditions = [] }) => (
              <li key={release?.image} class="stack tight">
                <strong>{release?.version}</strong>
                {risks.map((risk) => (
                  <p key={risk.name} class="message">
                    <strong>{risk.name}</strong> {risk.message}
                  </p>
                ))}
                {conditions.map((one) => (
                  <p key={one.type} class="muted message">
                    {one.type}={one.status} {one.message}
                  </p>
                ))}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

/** The word for a component by its conditions, the worst first. */
function wordOf(conditions: readonly Condition[]): StatusWord {
  if (isTrue(conditions, 'Degraded') !== undefined) return 'Degraded';
  if (isTrue(conditions, 'Progressing') !== undefined) return 'Progressing';
  return isTrue(conditions, 'Available') === undefined ? 'Unknown' : 'Healthy';
}

const firstWords: readonly StatusWord[] = ['Degraded', 'Progressing', 'Unknown', 'Healthy'];

function Components({ rows }: { readonly rows: readonly ApiObject[] }): JSX.Element | null {
  if (rows.length === 0) return null;
  const rank = (object: ApiObject): number => firstWords.indexOf(wordOf(conditionsOf(object)));
  return (
    <Panel title={texts.updates.operators}>
      <ul class="list">
        {rows
          .toSorted((a, b) => rank(a) - rank(b))
          .map((object) => {
            const conditions = conditionsOf(object);
            const word = wordOf(conditions);
            const shown = isTrue(conditions, word === 'Degraded' ? 'Degraded' : 'Progressing');
            return (
              <li key={object.metadata.name}>
                <div class="row wrap">
                  <strong class="grow">{object.metadata.name}</strong>
                  <Status word={word} />
                  <Ago time={shown?.lastTransitionTime ?? ''} />
                </div>
                {shown?.message !== undefined && <p class="muted message">{shown.message}</p>}
              </li>
            );
          })}
      </ul>
    </Panel>
  );
}

function Cluster(): JSX.Element {
  const [version] = useObjects<ApiObject>('objects config.openshift.io/v1 ClusterVersion');
  const operators = useObjects<ApiObject>('objects config.openshift.io/v1 ClusterOperator');
  if (version === undefined) {
    return (
      <Panel title={texts.updates.cluster}>
        <Empty icon="refresh" title={texts.updates.noCluster}>
          {texts.updates.noClusterHint}
        </Empty>
      </Panel>
    );
  }
  const status = (version.object.status ?? {}) as VersionStatus;
  const progressing = isTrue(status.conditions ?? [], 'Progressing');
  const failing = isTrue(status.conditions ?? [], 'Failing');
  const word: StatusWord = failing !== undefined ? 'Degraded' : progressing === undefined ? 'Healthy' : 'Progressing';
  return (
    <>
      <Panel title={texts.updates.cluster} aside={<Status word={word} />}>
        <Versions status={status} />
        {[failing, progressing].map(
          (one) =>
            one?.message !== undefined && (
              <p key={one.type} class="body message">
                {one.message} <Ago time={one.lastTransitionTime ?? ''} />
              </p>
            ),
        )}
      </Panel>
      <Available status={status} />
      <Components rows={operators.map(({ object }) => object)} />
    </>
  );
}

interface PoolStatus {
  readonly machineCount?: number;
  readonly updatedMachineCount?: number;
  readonly degradedMachineCount?: number;
  readonly unavailableMachineCount?: number;
}

function Pool({ object }: { readonly object: ApiObject }): JSX.Element {
  const status = (object.status ?? {}) as PoolStatus;
  const { machineCount: all = 0, updatedMachineCount: updated = 0, degradedMachineCount: degraded = 0 } = status;
  const updating = Math.max(0, Math.min(all - updated - degraded, status.unavailableMachineCount ?? 0));
  const waiting = Math.max(0, all - updated - degraded - updating);
  const parts = [
    ['updated', updated],
    ['updating', updating],
    ['degraded', degraded],
    ['waiting', waiting],
  ] as const;
  const message =
    isTrue(conditionsOf(object), 'Degraded')?.message ?? isTrue(conditionsOf(object), 'NodeDegraded')?.message;
  return (
    <li class="stack tight">
      <div class="row wrap">
        <strong class="grow">{object.metadata.name}</strong>
        <span class="muted">{texts.updates.nodes(updated, all)}</span>
      </div>
      <div class="nodes" role="img" aria-label={parts.map(([name, count]) => `${count} ${name}`).join(', ')}>
        {parts.map(([name, count]) => (
          <i key={name} class={name} style={{ width: `${all === 0 ? 0 : (count / all) * 100}%` }} />
        ))}
      </div>
      <p class="muted">
        {parts
          .filter(([, count]) => count > 0)
          .map(([name, count]) => `${count} ${name}`)
          .join(', ')}
      </p>
      {message !== undefined && <Notice tone="danger" title={message} />}
    </li>
  );
}

interface MachineStatus {
  readonly phase?: string;
  readonly nodeRef?: { readonly name?: string };
  readonly errorMessage?: string;
}

interface Hook {
  readonly name: string;
  readonly owner: string;
}

function hooksOf(object: ApiObject): readonly Hook[] {
  const hooks = (object.spec?.['lifecycleHooks'] ?? {}) as Readonly<Record<string, readonly Hook[] | undefined>>;
  return [...(hooks['preDrain'] ?? []), ...(hooks['preTerminate'] ?? [])];
}

function MachineRow({ object }: { readonly object: ApiObject }): JSX.Element {
  const { phase, nodeRef, errorMessage } = (object.status ?? {}) as MachineStatus;
  return (
    <tr>
      <th scope="row">{object.metadata.name}</th>
      <td>{phase}</td>
      <td>{nodeRef?.name}</td>
      <td>
        {hooksOf(object).map(({ name, owner }) => (
          <span key={name} class="chip warning">
            {name} of {owner}
          </span>
        ))}
        {errorMessage !== undefined && <span class="tone-danger">{errorMessage}</span>}
      </td>
      <td>
        <Ago time={object.metadata.creationTimestamp ?? ''} />
      </td>
    </tr>
  );
}

function Machines(): JSX.Element {
  const pools = useObjects<ApiObject>('objects machineconfiguration.openshift.io/v1 MachineConfigPool');
  const machines = useObjects<ApiObject>('objects machine.openshift.io/v1beta1 Machine');
  return (
    <>
      <Panel title={texts.updates.pools}>
        {pools.length === 0 ? (
          <p class="body muted">{texts.updates.noPools}</p>
        ) : (
          <ul class="list">
            {pools.map(({ object }) => (
              <Pool key={object.metadata.name} object={object} />
            ))}
          </ul>
        )}
      </Panel>
      <Panel title={texts.updates.machines}>
        {machines.length === 0 ? (
          <p class="body muted">{texts.updates.noMachines}</p>
        ) : (
          <div class="scroll" tabIndex={0} role="group" aria-label={texts.updates.machines}>
            <table>
              <thead>
                <tr>
                  <th>{texts.installed.name}</th>
                  <th>{texts.updates.phase}</th>
                  <th>{texts.updates.node}</th>
                  <th>{texts.updates.holds}</th>
                  <th>{texts.installed.age}</th>
                </tr>
              </thead>
              <tbody>
                {machines.map(({ object }) => (
                  <MachineRow key={object.metadata.name} object={object} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
    </>
  );
}

/** The version of the cluster, its node pools and machines. */
export function Updates(): JSX.Element {
  return (
    <div class="stack">
      <h1>{texts.pages.updates}</h1>
      <Cluster />
      <Machines />
    </div>
  );
}
