import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { WatchedObject } from '../../../server/wire.ts';
import { runCommand } from '../../lib/api.ts';
import { useLoad, useReloadOn } from '../../lib/load.ts';
import { useWatch, type Watched } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { ActionDialog, failureText, PermittedButton } from '../../ui/action.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice, Panel } from '../../ui/parts.tsx';
import { Failure, Forbidden, Skeleton, WatchContent } from '../../ui/states.tsx';
import type { ApiObject } from '../installation/kinds.ts';
import { type Condition, isTrue } from './cluster-version.ts';

type WatchedNodes = Watched<WatchedObject<ApiObject>>;

interface Pool extends ApiObject {
  readonly spec?: {
    readonly paused?: boolean;
    readonly maxUnavailable?: number | string;
    readonly configuration?: { readonly name?: string };
  };
  readonly status?: {
    readonly machineCount?: number;
    readonly updatedMachineCount?: number;
    readonly degradedMachineCount?: number;
    readonly conditions?: readonly Condition[];
  };
}

interface PoolNode {
  readonly name: string;
  readonly zone: string;
  readonly phase: string;
  readonly config: string;
  readonly message: string;
}

const phaseClasses: Readonly<Record<string, string>> = {
  Updated: 'updated',
  Draining: 'updating',
  Updating: 'updating',
  Rebooting: 'updating',
  Degraded: 'degraded',
  'Not ready': 'degraded',
};

function PauseButton({ pool }: { readonly pool: Pool }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { name } = pool.metadata;
  const isPaused = pool.spec?.paused === true;
  const title = isPaused ? texts.updates.resumePool(name) : texts.updates.pausePool(name);
  const access = { verb: 'patch', group: 'machineconfiguration.openshift.io', resource: 'machineconfigpools', name };
  return (
    <>
      <PermittedButton access={access} onClick={() => setOpen(true)}>
        <Icon name="paused" />
        {isPaused ? texts.installation.resume : texts.installation.pause}
      </PermittedButton>
      {isOpen && (
        <ActionDialog
          title={title}
          command={isPaused ? 'poolResume' : 'poolPause'}
          body={{ name }}
          button={title}
          done={isPaused ? texts.installation.resumed(name) : texts.installation.paused(name)}
          onClose={() => setOpen(false)}
        >
          <p>{isPaused ? texts.updates.resumeHint : texts.updates.pauseHint}</p>
        </ActionDialog>
      )}
    </>
  );
}

/** A cell for each node, and a row for each that is not updated. */
function Nodes({ nodes }: { readonly nodes: readonly PoolNode[] }): JSX.Element {
  const moving = nodes.filter(({ phase }) => phase !== 'Updated');
  return (
    <>
      <ol class="node-cells" aria-label={texts.updates.nodeStates}>
        {nodes.map(({ name, phase }) => (
          <li key={name} class={phaseClasses[phase] ?? 'waiting'} title={`${name}: ${phase}`}>
            <span class="visually-hidden">{`${name}: ${phase}`}</span>
          </li>
        ))}
      </ol>
      {moving.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label={texts.updates.nodeStates}>
          <table>
            <tbody>
              {moving.map(({ name, zone, phase, message }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{zone}</td>
                  <td class="nowrap">{phase}</td>
                  <td class="break muted">{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** What the phases of these nodes are derived from: it changes when one of them does. */
function markOf(shown: readonly PoolNode[], { rows }: WatchedNodes): string {
  const names = new Set(shown.map(({ name }) => name));
  const own = [...rows.values()].filter(({ object }) => names.has(object.metadata.name));
  const facts = own.map(({ object: { metadata, status } }) => {
    const conditions = (status?.['conditions'] ?? []) as readonly Condition[];
    const ready = conditions.find(({ type }) => type === 'Ready');
    return [metadata.name, metadata.annotations, ready?.status];
  });
  return JSON.stringify(facts);
}

/** The nodes of a pool, read again when one of them, or the pool, has changed. */
function PoolNodes({ pool, nodes }: { readonly pool: Pool; readonly nodes: WatchedNodes }): JSX.Element {
  const { name } = pool.metadata;
  const found = useLoad(name, async (signal) => {
    const result = await runCommand('poolStatus', { name }, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return (result.output as { nodes: readonly PoolNode[] }).nodes;
  });
  const mark = JSON.stringify([pool.spec, pool.status]) + markOf(found.value ?? [], nodes);
  useReloadOn(mark, found);
  if (found.value !== undefined) return <Nodes nodes={found.value} />;
  if (found.thrown !== undefined) return <Failure thrown={found.thrown} onRetry={found.reload} />;
  return <Skeleton lines={1} />;
}

function PoolRow({ pool, nodes }: { readonly pool: Pool; readonly nodes: WatchedNodes }): JSX.Element {
  const { name } = pool.metadata;
  const { machineCount: all = 0, updatedMachineCount: updated = 0, conditions } = pool.status ?? {};
  const problems = ['Degraded', 'RenderDegraded'].flatMap((type) => isTrue(conditions, type)?.message ?? []);
  const held = isTrue(conditions, 'RolloutHeld')?.message;
  return (
    <li class="stack tight">
      <div class="row wrap">
        <strong>{name}</strong>
        {pool.spec?.paused === true && <span class="chip warning">{texts.status.Paused}</span>}
        <span class="muted grow">
          {texts.updates.nodes(updated, all)} · {texts.updates.atATime(String(pool.spec?.maxUnavailable ?? 1))}
        </span>
        <PauseButton pool={pool} />
      </div>
      {nodes.state === 'forbidden' ? <Forbidden message={nodes.message} /> : <PoolNodes pool={pool} nodes={nodes} />}
      {held !== undefined && <Notice tone="warning" title={held} />}
      {problems.map((problem) => (
        <Notice key={problem} tone="danger" title={problem} />
      ))}
    </li>
  );
}

/** Pools of nodes, with the nodes that are being updated. */
export function Pools(): JSX.Element {
  const watched = useWatch<WatchedObject<Pool>>('objects machineconfiguration.openshift.io/v1 MachineConfigPool');
  // Nodes are of interest where there are pools.
  const nodes = useWatch<WatchedObject<ApiObject>>(watched.rows.size === 0 ? undefined : 'objects v1 Node');
  return (
    <Panel title={texts.updates.pools}>
      <WatchContent watched={watched} empty={<p class="body muted">{texts.updates.noPools}</p>}>
        {(rows) => (
          <ul class="list">
            {rows.map(({ object }) => (
              <PoolRow key={object.metadata.name} pool={object} nodes={nodes} />
            ))}
          </ul>
        )}
      </WatchContent>
    </Panel>
  );
}
