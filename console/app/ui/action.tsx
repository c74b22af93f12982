import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CommandResult } from '../../server/wire.ts';
import { ApiError, mayDo, runCommand } from '../lib/api.ts';
import { useLoad } from '../lib/load.ts';
import { notify } from '../lib/toasts.ts';
import { texts } from '../texts.ts';
import { CommandLine, Dialog, Notice } from './parts.tsx';

type Access = Parameters<typeof mayDo>[0];

/** A button that is disabled, with the reason, where the viewer lacks the permission. */
export function PermittedButton(props: {
  readonly access: Access;
  readonly className?: string;
  /** For another reason than a missing permission. */
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { access, className = '', isDisabled = false, onClick, children } = props;
  const isAllowed = useLoad(JSON.stringify(access), () => mayDo(access)).value;
  const { verb, resource, group } = access;
  const title = isAllowed === false ? `${texts.installation.forbidden}: ${verb} ${resource}.${group}` : undefined;
  return (
    <button
      type="button"
      class={`button ${className}`}
      disabled={isAllowed === false || isDisabled}
      title={title}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

/** What an error says, with its advice. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof ApiError) return [thrown.message, thrown.advice].filter((text) => text !== '').join('\n');
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What a command printed where it failed. */
export function failureText({ messages, output }: CommandResult): string {
  return [messages, typeof output === 'string' ? output : '']
    .join('\n')
    .replaceAll(/^longshore: /gm, '')
    .trim();
}

/** What a dialog does: a command of the program, or a request with the line that a user types for the same. */
export type Deed =
  | { readonly command: string; readonly body: Readonly<Record<string, unknown>> }
  | { readonly line: string; readonly run: () => Promise<unknown> };

const succeeded: CommandResult = { command: '', exitCode: 0, output: '', messages: '' };

async function perform(deed: Deed): Promise<CommandResult> {
  if ('command' in deed) return await runCommand(deed.command, deed.body);
  await deed.run();
  return succeeded;
}

/** The line that a user types for the same. */
function useLine(deed: Deed, isReady: boolean): string {
  const key = isReady && 'command' in deed ? JSON.stringify([deed.command, deed.body]) : '';
  const preview = useLoad(key, (signal) =>
    'command' in deed
      ? runCommand(deed.command, { ...deed.body, isPreview: true }, signal)
      : Promise.resolve(succeeded),
  );
  if ('line' in deed) return deed.line;
  return isReady ? (preview.value?.command ?? '') : '';
}

/** Asks before something changes the cluster: what it does, the command line, and the button that does it. */
export function ActionDialog(
  props: Deed & {
    readonly title: string;
    readonly button: string;
    readonly isDangerous?: boolean;
    readonly done: string;
    readonly onClose: () => void;
    readonly onDone?: (result: CommandResult) => void;
    readonly isWide?: boolean;
    /** Whether everything that it needs was chosen. */
    readonly isReady?: boolean;
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const { title, button, isDangerous = false, done, onClose, onDone, isWide = false, isReady = true, children } = props;
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState('');
  const line = useLine(props, isReady);
  const run = (): void => {
    setRunning(true);
    setProblem('');
    perform(props)
      .then((result) => {
        if (result.exitCode !== 0) {
          setProblem(failureText(result));
          return;
        }
        notify(done);
        onDone?.(result);
        onClose();
      })
      .catch((thrown: unknown) => setProblem(messageOf(thrown)))
      .finally(() => setRunning(false));
  };
  return (
    <Dialog title={title} onClose={onClose} className={isWide ? 'wide' : ''}>
      <div class="content">
        <h2>{title}</h2>
        {children}
        {problem !== '' && <Notice tone="danger" title={problem} />}
        {line !== '' && (
          <div class="stack tight">
            <span class="hint">{texts.installation.command}</span>
            <CommandLine command={line} />
          </div>
        )}
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            {texts.installation.cancel}
          </button>
          <button
            type="button"
            class={`button ${isDangerous ? 'danger' : 'primary'}`}
            disabled={isRunning || !isReady}
            onClick={run}
          >
            {button}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
