import { dump } from 'js-yaml';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PackageRow } from '../../../../server/wire.ts';
import { runCommand } from '../../../lib/api.ts';
import { useLoad } from '../../../lib/load.ts';
import { go, installationPath } from '../../../lib/router.ts';
import { notify } from '../../../lib/toasts.ts';
import { texts } from '../../../texts.ts';
import { failureText, messageOf, PermittedButton } from '../../../ui/action.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { CommandLine, copyText, Notice, Panel } from '../../../ui/parts.tsx';
import { installationKinds } from '../../installation/kinds.ts';
import { type Choice, watchedNamespaces } from './choice.ts';
import type { Created } from './objects.ts';
import { createObjects, type Trial } from './try-out.ts';

/** What `longshore operator install` is asked for. */
function installBody(row: PackageRow, choice: Choice): Readonly<Record<string, unknown>> {
  const watched = watchedNamespaces(choice);
  return {
    package: row.name,
    catalog: row.catalog,
    catalogNamespace: row.catalogNamespace,
    namespace: choice.namespace,
    channel: choice.channel,
    approval: choice.approval,
    ...(choice.version === '' ? {} : { version: choice.version }),
    ...(choice.mode === 'all' ? { allNamespaces: true } : { watchNamespaces: watched.map((item) => ({ item })) }),
    ...(Object.keys(choice.config).length === 0 ? {} : { config: choice.config }),
  };
}

/** The objects as YAML, in one file. */
function manifestText(objects: readonly Created[]): string {
  return objects.map(({ object }) => dump(object, { lineWidth: 100, noRefs: true })).join('---\n');
}

function Written({ objects }: { readonly objects: readonly Created[] }): JSX.Element {
  const text = manifestText(objects);
  return (
    <Panel
      title={texts.install.written}
      aside={
        <button type="button" class="button quiet" onClick={() => copyText(text)}>
          <Icon name="copy" />
          {texts.install.copy}
        </button>
      }
    >
      <pre class="code flush" tabIndex={0}>
        {text}
      </pre>
    </Panel>
  );
}

function TrialResult({ trial }: { readonly trial: Trial | undefined }): JSX.Element | null {
  if (trial === undefined) return <p class="muted">{texts.install.trying}</p>;
  if (trial.isAccepted) {
    return (
      <p class="row">
        <span class="tone-ok">
          <Icon name="check" />
        </span>
        {texts.install.accepted}
      </p>
    );
  }
  return (
    <Notice tone="danger" title={texts.install.refused}>
      <p class="message">{trial.message}</p>
    </Notice>
  );
}

interface ConfirmProps {
  readonly row: PackageRow;
  readonly choice: Choice;
  readonly objects: readonly Created[];
  readonly trial: Trial | undefined;
  /** The resolver found a conflict. */
  readonly isConflict: boolean;
}

/** The line that a user types for the same. */
function useLine({ row, choice }: Pick<ConfirmProps, 'row' | 'choice'>): string {
  const body = installBody(row, choice);
  const isCommand = choice.kind === 'Subscription';
  const preview = useLoad(isCommand ? JSON.stringify(body) : '', (signal) =>
    runCommand('install', { ...body, isPreview: true }, signal),
  );
  return isCommand ? (preview.value?.command ?? '') : texts.install.applyLine;
}

async function install({ row, choice, objects }: ConfirmProps): Promise<string> {
  if (choice.kind !== 'Subscription') {
    await createObjects(objects);
    return '';
  }
  const result = await runCommand('install', installBody(row, choice));
  return result.exitCode === 0 ? '' : failureText(result);
}

/** What is written, what the API server says of it, and the button that does it. */
export function Confirm(props: ConfirmProps): JSX.Element {
  const { row, choice, objects, trial, isConflict } = props;
  const [problem, setProblem] = useState('');
  const [isRunning, setRunning] = useState(false);
  const line = useLine(props);
  const { kind, namespace, name } = choice;
  const isSubscription = kind === 'Subscription';
  const run = (): void => {
    setRunning(true);
    setProblem('');
    const path = installationPath({
      kind,
      namespace: isSubscription ? namespace : '',
      name: isSubscription ? row.name : name,
    });
    notify(texts.install.started(row.title));
    install(props)
      .then((text) => {
        if (text === '') go(path);
        else setProblem(text);
      })
      .catch((thrown: unknown) => setProblem(messageOf(thrown)))
      .finally(() => setRunning(false));
  };
  const { group = '', plural = '' } = installationKinds[kind] ?? {};
  const access = { verb: 'create', group, resource: plural, ...(isSubscription ? { namespace } : {}) };
  const version = choice.version === '' || kind === 'PlatformOperator' ? '' : ` ${choice.version}`;
  const isRefused = trial?.isAccepted === false;
  return (
    <div class="stack">
      <Written objects={objects} />
      <TrialResult trial={trial} />
      {problem !== '' && <Notice tone="danger" title={problem} />}
      {line !== '' && <CommandLine command={line} />}
      <div class="toolbar">
        <PermittedButton
          access={access}
          className={isConflict ? 'danger' : 'primary'}
          isDisabled={isRunning || isRefused || trial === undefined}
          onClick={run}
        >
          {isRunning
            ? texts.install.started(row.title)
            : isConflict
              ? texts.install.anyway(`${row.title}${version}`)
              : texts.install.does(`${row.title}${version}`)}
        </PermittedButton>
      </div>
    </div>
  );
}
