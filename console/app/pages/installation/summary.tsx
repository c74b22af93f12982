import type { JSX } from 'preact';
import type { EventRow, Installation, InstallationStep } from '../../../server/wire.ts';
import { installationPath } from '../../lib/router.ts';
import { useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Ago, Notice, Panel, StepIcon } from '../../ui/parts.tsx';
import type { ApiObject } from './kinds.ts';

const maxEvents = 3;

function eventsOf(one: Installation, events: readonly EventRow[]): readonly EventRow[] {
  const own = events.filter(({ kind, name }) => kind === one.kind && name === one.name);
  return own.toSorted((a, b) => (a.time < b.time ? 1 : -1)).slice(0, maxEvents);
}

interface StepProps {
  readonly one: Installation;
  readonly step: InstallationStep;
  readonly events: readonly EventRow[];
}

function Why({ one, step, events }: StepProps): JSX.Element {
  return (
    <div class="why">
      {step.reason !== '' && (
        <p>
          <strong>{step.reason}</strong>
        </p>
      )}
      <p class="message">{step.text}</p>
      {step.advice.length > 0 && (
        <>
          <p>
            <strong>{texts.installation.whatToDo}</strong>
          </p>
          <ul class="todo">
            {step.advice.map((advice) => (
              <li key={advice} class="break">
                {advice}
              </li>
            ))}
          </ul>
          {one.kind === 'BundleDeployment' && step.state === 'failed' && one.version !== '' && (
            <p class="row wrap">
              <a href={`${installationPath(one)}?tab=changes`}>{texts.installation.seeChanges}</a>
              <a href={`${installationPath(one)}?tab=history`}>{texts.installation.seeHistory}</a>
            </p>
          )}
        </>
      )}
      {events.length > 0 && (
        <>
          <p>
            <strong>{texts.installation.lastEvents}</strong>
          </p>
          <ul class="todo">
            {events.map((event) => (
              <li key={`${event.time}${event.reason}`} class="break">
                {event.reason}: {event.message} <Ago time={event.time} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Step({ one, step, events }: StepProps): JSX.Element {
  const isOpen = step.state === 'failed' || step.state === 'waiting' || (step.state === 'running' && step.text !== '');
  return (
    <li>
      <StepIcon state={step.state} />
      <strong>{step.title}</strong>
      <span class="muted break step-text">{isOpen ? '' : step.text}</span>
      <Ago time={step.since} />
      {isOpen && <Why one={one} step={step} events={events} />}
    </li>
  );
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

function Conditions({ object }: { readonly object: ApiObject | undefined }): JSX.Element | null {
  const conditions = (object?.status?.['conditions'] ?? []) as readonly Condition[];
  if (conditions.length === 0) return null;
  return (
    <Panel>
      <details>
        <summary>
          <span class="caret">
            <Icon name="caret" />
          </span>
          <h2>{texts.installation.conditions}</h2>
        </summary>
        <div class="scroll" tabIndex={0} role="group" aria-label={texts.installation.conditions}>
          <table>
            <tbody>
              {conditions.map((one) => (
                <tr key={one.type}>
                  <th scope="row">{one.type}</th>
                  <td class="nowrap">{one.status}</td>
                  <td class="nowrap">{one.reason}</td>
                  <td class="break muted">{one.message}</td>
                  <td>
                    <Ago time={one.lastTransitionTime ?? ''} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </Panel>
  );
}

function Finalizers({ object }: { readonly object: ApiObject | undefined }): JSX.Element | null {
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {};
  if (deletionTimestamp === undefined) return null;
  return <Notice tone="info" title={`Deletion was requested. Held by: ${finalizers.join(', ') || 'nothing'}`} />;
}

/** The steps to a healthy installation; one that is not done is open, with what to do. */
export function Summary({
  one,
  object,
}: {
  readonly one: Installation;
  readonly object: ApiObject | undefined;
}): JSX.Element {
  const events = useWatch<EventRow>('events');
  const own = eventsOf(one, [...events.rows.values()]);
  const isStepOpen = one.steps.some(({ state }) => state !== 'done');
  return (
    <div class="stack">
      {one.message !== '' && ['Paused', 'Deleting'].includes(one.status) && <Notice tone="info" title={one.message} />}
      <Finalizers object={object} />
      <Panel>
        <ol class="steps">
          {one.steps.map((step) => (
            <Step key={step.title} one={one} step={step} events={own} />
          ))}
          {!isStepOpen && (
            <li>
              <span />
              <span class="muted" style={{ gridColumn: '2 / -1' }}>
                {texts.installation.waitsForNothing}
              </span>
            </li>
          )}
        </ol>
      </Panel>
      <Conditions object={object} />
    </div>
  );
}
