import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation, PackageRow } from '../../../server/wire.ts';
import { runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { go, installationPath } from '../../lib/router.ts';
import { notify } from '../../lib/toasts.ts';
import { texts } from '../../texts.ts';
import { failureText, PermittedButton } from '../../ui/action.tsx';
import { type Grant, Grants } from '../../ui/grants.tsx';
import { CommandLine, Notice, Panel } from '../../ui/parts.tsx';
import { type Resolution, ResolutionView } from '../../ui/resolution.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import type { Channel, Manifest } from './manifest.ts';

interface Choice {
  readonly channel: string;
  readonly version: string;
  readonly namespace: string;
  readonly mode: 'own' | 'all' | 'selected';
  readonly watched: string;
  readonly approval: 'Automatic' | 'Manual';
}

const modeNames = {
  own: ['OwnNamespace'],
  all: ['AllNamespaces'],
  selected: ['SingleNamespace', 'MultiNamespace'],
} as const;
type Mode = keyof typeof modeNames;

function modesOf(channel: Channel | undefined): readonly Mode[] {
  const supported = (channel?.currentCSVDesc?.installModes ?? [])
    .filter((mode) => mode.supported)
    .map(({ type }) => type);
  return (Object.keys(modeNames) as Mode[]).filter((mode) => modeNames[mode].some((name) => supported.includes(name)));
}

function bodyOf(row: PackageRow, choice: Choice): Readonly<Record<string, unknown>> {
  const watched = choice.watched.split(/[\s,]+/).filter((name) => name !== '');
  return {
    package: row.name,
    catalog: row.catalog,
    catalogNamespace: row.catalogNamespace,
    namespace: choice.namespace,
    channel: choice.channel,
    approval: choice.approval,
    ...(choice.version === '' ? {} : { version: choice.version }),
    ...(choice.mode === 'all' ? { allNamespaces: true } : {}),
    ...(choice.mode === 'selected' ? { watchNamespaces: watched.map((item) => ({ item })) } : {}),
    ...(choice.mode === 'own' ? { watchNamespaces: [{ item: choice.namespace }] } : {}),
  };
}

interface FieldsProps {
  readonly manifest: Manifest;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

function PlaceFields({ manifest, choice, onChange }: FieldsProps): JSX.Element {
  const channel = manifest.status.channels.find(({ name }) => name === choice.channel);
  const entries = channel?.entries ?? [];
  const change = (part: Partial<Choice>): void => onChange({ ...choice, ...part });
  return (
    <>
      <label class="field">
        {texts.catalog.channel}
        <select
          value={choice.channel}
          onChange={(event) => change({ channel: event.currentTarget.value, version: '' })}
        >
          {manifest.status.channels.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        {texts.install.version}
        <select value={choice.version} onChange={(event) => change({ version: event.currentTarget.value })}>
          <option value="">{texts.install.newest(channel?.currentCSVDesc?.version ?? '')}</option>
          {entries.map(({ name, version = name }) => (
            <option key={name} value={version}>
              {version}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        {texts.install.namespace}
        <input
          value={choice.namespace}
          pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
          maxLength={63}
          required
          onInput={(event) => change({ namespace: event.currentTarget.value })}
        />
        <span class="hint">{texts.install.namespaceHint}</span>
      </label>
    </>
  );
}

function Radios<T extends string>(props: {
  readonly title: string;
  readonly name: string;
  readonly values: readonly (readonly [T, string])[];
  readonly current: T;
  readonly onChange: (value: T) => void;
}): JSX.Element {
  const { title, name, values, current, onChange } = props;
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
      <legend>
        <strong>{title}</strong>
      </legend>
      {values.map(([value, text]) => (
        <label key={value} class="check">
          <input type="radio" name={name} checked={value === current} onChange={() => onChange(value)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

function Fields({ manifest, choice, onChange }: FieldsProps): JSX.Element {
  const channel = manifest.status.channels.find(({ name }) => name === choice.channel);
  const modes = modesOf(channel);
  const change = (part: Partial<Choice>): void => onChange({ ...choice, ...part });
  return (
    <div class="body stack">
      <PlaceFields manifest={manifest} choice={choice} onChange={onChange} />
      <Radios
        title={texts.install.watches}
        name="mode"
        values={modes.map((mode) => [mode, texts.install[mode]] as const)}
        current={choice.mode}
        onChange={(mode) => change({ mode })}
      />
      {choice.mode === 'selected' && (
        <label class="field">
          {texts.install.selected}
          <input value={choice.watched} required onInput={(event) => change({ watched: event.currentTarget.value })} />
        </label>
      )}
      <Radios
        title={texts.install.approval}
        name="approval"
        values={[
          ['Automatic', texts.install.automatic],
          ['Manual', texts.install.manual],
        ]}
        current={choice.approval}
        onChange={(approval) => change({ approval })}
      />
    </div>
  );
}

function versionsOf(
  installed: readonly Installation[],
): readonly { readonly name: string; readonly version: string }[] {
  const operators = installed.filter(({ kind, version }) => kind === 'Subscription' && version !== '');
  return operators.map(({ source, version }) => ({ name: source.split(' ')[0] ?? '', version }));
}

/** What the resolver chooses, and the permissions of the package. */
function Plan({
  row,
  installed,
}: {
  readonly row: PackageRow;
  readonly installed: readonly Installation[];
}): JSX.Element {
  const present = versionsOf(installed).filter(({ name }) => name !== row.name);
  const body = {
    packages: [{ item: row.name }],
    catalogs: [{ catalog: row.catalog, catalogNamespace: row.catalogNamespace }],
    installed: [...new Map(present.map((one) => [one.name, one])).values()],
  };
  const plan = useLoad(JSON.stringify(body), async (signal) => {
    const result = await runCommand('resolve', body, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return { resolution: result.output as Resolution, command: result.command };
  });
  const resolution = plan.value?.resolution;
  const image =
    resolution?.outcome === 'resolved'
      ? resolution.bundles.find((bundle) => bundle.package === row.name)?.image
      : undefined;
  const needs = useLoad(image ?? '', async (signal) => {
    const result = await runCommand('needs', { image }, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return (result.output as { grants: readonly Grant[] }).grants;
  });
  if (plan.thrown !== undefined) return <Failure thrown={plan.thrown} onRetry={plan.reload} />;
  if (plan.value === undefined) return <Skeleton />;
  return (
    <div class="stack">
      <ResolutionView resolution={plan.value.resolution} />
      {needs.value !== undefined && (
        <Panel title={texts.install.permissions}>
          <Grants grants={needs.value} />
        </Panel>
      )}
      <CommandLine command={plan.value.command} />
    </div>
  );
}

function Confirm({ row, choice }: { readonly row: PackageRow; readonly choice: Choice }): JSX.Element {
  const [problem, setProblem] = useState('');
  const [isRunning, setRunning] = useState(false);
  const body = bodyOf(row, choice);
  const preview = useLoad(JSON.stringify(body), (signal) =>
    runCommand('install', { ...body, isPreview: true }, signal),
  );
  const install = (): void => {
    setRunning(true);
    setProblem('');
    notify(texts.install.started(row.title));
    const path = installationPath({ kind: 'Subscription', namespace: choice.namespace, name: row.name });
    runCommand('install', body)
      .then((result) => {
        if (result.exitCode === 0) go(path);
        else setProblem(failureText(result));
      })
      .catch((thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : String(thrown)))
      .finally(() => setRunning(false));
  };
  const access = {
    verb: 'create',
    group: 'operators.coreos.com',
    resource: 'subscriptions',
    namespace: choice.namespace,
  };
  const version = choice.version === '' ? '' : ` ${choice.version}`;
  return (
    <div class="stack">
      {problem !== '' && <Notice tone="danger" title={problem} />}
      {preview.value !== undefined && <CommandLine command={preview.value.command} />}
      <div class="toolbar">
        <PermittedButton access={access} className="primary" onClick={isRunning ? () => undefined : install}>
          {isRunning ? texts.install.started(row.title) : texts.install.does(`${row.title}${version}`)}
        </PermittedButton>
      </div>
    </div>
  );
}

/** What the package suggests. */
function firstChoice(row: PackageRow, { status }: Manifest): Choice {
  const first = status.channels.find(({ name }) => name === status.defaultChannel) ?? status.channels[0];
  const modes = modesOf(first);
  const mode: Mode = modes.includes('all') ? 'all' : (modes[0] ?? 'own');
  const suggested = first?.currentCSVDesc?.annotations?.['operatorframework.io/suggested-namespace'];
  const namespace = mode === 'all' ? 'operators' : (suggested ?? row.name);
  return { channel: first?.name ?? '', version: '', namespace, mode, watched: '', approval: 'Automatic' };
}

/** The form, then the plan, then the button that installs. */
export function InstallForm(props: {
  readonly row: PackageRow;
  readonly manifest: Manifest;
  readonly installed: readonly Installation[];
}): JSX.Element {
  const { row, manifest, installed } = props;
  const [choice, setChoice] = useState<Choice>(() => firstChoice(row, manifest));
  const isThere = installed.some(
    (one) => one.kind === 'Subscription' && one.namespace === choice.namespace && one.name === row.name,
  );
  const isComplete =
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(choice.namespace) &&
    (choice.mode !== 'selected' || choice.watched.trim() !== '');
  return (
    <div class="split form-first">
      <Panel title={texts.catalog.install}>
        <Fields manifest={manifest} choice={choice} onChange={setChoice} />
      </Panel>
      <div class="stack">
        {isThere && <Notice tone="warning" title={texts.install.already} />}
        <h2>{texts.install.plan}</h2>
        <p class="muted">{texts.install.planHint}</p>
        {choice.version !== '' && <Notice tone="info" title={texts.install.starts(choice.version)} />}
        <Plan row={row} installed={installed} />
        {!isThere && isComplete && <Confirm row={row} choice={choice} />}
      </div>
    </div>
  );
}
