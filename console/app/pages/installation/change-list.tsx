import type { JSX } from 'preact';
import type { Installation } from '../../../server/wire.ts';
import { runCommand } from '../../lib/api.ts';
import { texts } from '../../texts.ts';
import { failureText } from '../../ui/action.tsx';
import { Diff } from '../../ui/diff.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice, Panel } from '../../ui/parts.tsx';
import type { ApiObject } from './kinds.ts';

/** A change of an object, as `longshore diff -o json` prints it. */
interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly diff: string;
}

/** What a dry run on the server has found, and the command for it. */
export interface Found {
  readonly changes: readonly Change[];
  readonly kept: readonly { readonly kind: string; readonly name: string }[];
  readonly blockers: readonly string[];
  readonly command: string;
}

const marks = { create: 'plus', update: 'activity', delete: 'minus' } as const;

/** Compares the cluster with a deployment, an image, or the newest content of an installation. */
export async function compare(
  one: Installation,
  desired: { readonly deployment?: ApiObject; readonly image?: string },
  signal: AbortSignal,
): Promise<Found> {
  const body = { kind: one.kind, name: one.name, ...desired };
  const result = await runCommand('diff', body, signal);
  if (typeof result.output === 'string') throw new Error(failureText(result));
  return { ...(result.output as Omit<Found, 'command'>), command: result.command };
}

function count(changes: readonly Change[], action: Change['action']): number {
  return changes.filter((change) => change.action === action).length;
}

/** Each object with its difference. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }): JSX.Element {
  return (
    <Panel
      title={texts.installation.changeCount(
        count(changes, 'create'),
        count(changes, 'update'),
        count(changes, 'delete'),
      )}
    >
      {changes.map((change) => (
        <details key={`${change.kind} ${change.namespace ?? ''} ${change.name}`} open={changes.length <= 3}>
          <summary>
            <span class="caret">
              <Icon name="caret" />
            </span>
            <span
              class={
                change.action === 'delete' ? 'tone-danger' : change.action === 'create' ? 'tone-ok' : 'tone-progress'
              }
            >
              <Icon name={marks[change.action]} />
              <span class="visually-hidden">{change.action}</span>
            </span>
            <span class="muted">{change.kind}</span>
            <span class="break">{change.name}</span>
          </summary>
          <Diff text={change.diff} />
        </details>
      ))}
    </Panel>
  );
}

/** Why nothing would be written. */
export function Blockers({ blockers }: { readonly blockers: readonly string[] }): JSX.Element | null {
  if (blockers.length === 0) return null;
  return (
    <Notice tone="danger" title={texts.installation.blocked}>
      <ul class="todo">
        {blockers.map((text) => (
          <li key={text} class="message">
            {text}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
