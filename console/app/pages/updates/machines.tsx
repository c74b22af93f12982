import type { JSX } from 'preact';
import type { WatchedObject } from '../../../server/wire.ts';
import { runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { failureText } from '../../ui/action.tsx';
import { Ago, CommandLine, Panel, StepIcon } from '../../ui/parts.tsx';
import { Failure, Skeleton, WatchContent } from '../../ui/states.tsx';
import type { ApiObject } from '../installation/kinds.ts';

interface Hook {
  readonly name: string;
  readonly owner: string;
}

interface Machine extends ApiObject {
  readonly spec?: {
    readonly lifecycleHooks?: { readonly preDrain?: readonly Hook[]; readonly preTerminate?: readonly Hook[] };
  };
  readonly status?: {
    readonly phase?: string;
    readonly nodeRef?: { readonly name?: string };
    readonly errorMessage?: string;
  };
}

interface DeletionStep {
  readonly title: string;
  readonly state: 'done' | 'held' | 'waiting';
  readonly why?: string;
}

const stepStates = { done: 'done', held: 'waiting', waiting: 'idle' } as const;

/** The steps of a deletion: those that are done, the one that holds the others, and who holds it. */
function Deletion({ machine }: { readonly machine: Machine }): JSX.Element {
  const { name, namespace = '', deletionTimestamp = '' } = machine.metadata;
  const found = useLoad(JSON.stringify(machine.status ?? {}) + JSON.stringify(machine.spec), async (signal) => {
    const result = await runCommand('machine', { name, namespace }, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return { ...(result.output as { deletion: readonly DeletionStep[] }), command: result.command };
  });
  if (found.thrown !== undefined) return <Failure thrown={found.thrown} onRetry={found.reload} />;
  if (found.value === undefined) return <Skeleton />;
  return (
    <Panel title={texts.updates.deletionOf(name)} aside={<Ago time={deletionTimestamp} />}>
      <ol class="steps long">
        {found.value.deletion.map(({ title, state, why }) => (
          <li key={title}>
            <StepIcon state={stepStates[state]} />
            <strong>{title}</strong>
            <span class={`message step-text ${state === 'held' ? '' : 'muted'}`}>{state === 'held' ? why : ''}</span>
          </li>
        ))}
      </ol>
      <div class="body">
        <CommandLine command={found.value.command} />
      </div>
    </Panel>
  );
}

function Hooks({ machine }: { readonly machine: Machine }): JSX.Element {
  const { preDrain = [], preTerminate = [] } = machine.spec?.lifecycleHooks ?? {};
  const chip = (stage: string, { name, owner }: Hook): JSX.Element => (
    <span key={`${stage} ${name}`} class="chip warning" title={stage}>
      {texts.updates.hook(name, owner)}
    </span>
  );
  return (
    <span class="row wrap">
      {preDrain.map((hook) => chip('preDrain', hook))}
      {preTerminate.map((hook) => chip('preTerminate', hook))}
    </span>
  );
}

function Row({ machine, isChosen }: { readonly machine: Machine; readonly isChosen: boolean }): JSX.Element {
  const { name, creationTimestamp = '', deletionTimestamp } = machine.metadata;
  const { phase, nodeRef, errorMessage } = machine.status ?? {};
  return (
    <tr>
      <th scope="row">
        {deletionTimestamp === undefined ? (
          name
        ) : (
          <button
            type="button"
            class="button quiet"
            aria-pressed={isChosen}
            onClick={() => setQuery({ machine: isChosen ? '' : name })}
          >
            {name}
          </button>
        )}
      </th>
      <td>{phase}</td>
      <td>{nodeRef?.name}</td>
      <td>
        <Hooks machine={machine} />
        {errorMessage !== undefined && <span class="tone-danger">{errorMessage}</span>}
      </td>
      <td>
        <Ago time={deletionTimestamp ?? creationTimestamp} />
      </td>
    </tr>
  );
}

/** Machines with their hooks; of one that is being deleted, what holds it. */
export function Machines(): JSX.Element {
  const { query } = usePlace();
  const watched = useWatch<WatchedObject<Machine>>('objects machine.openshift.io/v1beta1 Machine');
  const chosen = query.get('machine') ?? '';
  const machines = [...watched.rows.values()].map(({ object }) => object);
  const leaving = machines.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const shown = leaving.find(({ metadata }) => metadata.name === chosen) ?? leaving[0];
  return (
    <>
      <Panel title={texts.updates.machines}>
        <WatchContent watched={watched} empty={<p class="body muted">{texts.updates.noMachines}</p>}>
          {() => (
            <div class="scroll" tabIndex={0} role="group" aria-label={texts.updates.machines}>
              <table>
                <thead>
                  <tr>
                    <th>{texts.installed.name}</th>
                    <th>{texts.updates.phase}</th>
                    <th>{texts.updates.node}</th>
                    <th>{texts.updates.hooks}</th>
                    <th>{texts.installed.age}</th>
                  </tr>
                </thead>
                <tbody>
                  {machines.map((machine) => (
                    <Row key={machine.metadata.name} machine={machine} isChosen={machine === shown} />
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </WatchContent>
      </Panel>
      {shown !== undefined && <Deletion machine={shown} />}
    </>
  );
}
