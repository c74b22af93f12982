import type { JSX } from 'preact';
import type { PackageRow } from '../../../../server/wire.ts';
import { texts } from '../../../texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { FieldErrors } from '../../../ui/schema/schema.ts';
import { FieldError, ObjectFields } from '../../../ui/schema/schema-form.tsx';
import type { Manifest } from '../manifest.ts';
import { type Choice, type InstallKind, kindsFor, modesOf } from './choice.ts';
import { deploymentConfig } from './config-schema.ts';

/** What fields of the form share. */
export interface FieldsProps {
  readonly row: PackageRow;
  readonly manifest: Manifest;
  readonly choice: Choice;
  readonly errors: FieldErrors;
  readonly onChange: (part: Partial<Choice>) => void;
}

function Radios<T extends string>(props: {
  readonly title: string;
  readonly name: string;
  readonly values: readonly (readonly [T, string])[];
  readonly current: T;
  readonly onChange: (value: T) => void;
}): JSX.Element | null {
  const { title, name, values, current, onChange } = props;
  if (values.length < 2) return null;
  return (
    <fieldset class="plain">
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

function Text(props: {
  readonly title: string;
  readonly hint?: string;
  readonly field: 'name' | 'namespace' | 'watched' | 'account';
  readonly choice: Choice;
  readonly errors: FieldErrors;
  readonly onChange: (part: Partial<Choice>) => void;
}): JSX.Element {
  const { title, hint, field, choice, errors, onChange } = props;
  return (
    <div class="stack tight">
      <label class="field">
        {title}
        <input
          value={choice[field]}
          aria-invalid={errors.has(field) ? 'true' : undefined}
          aria-describedby={errors.has(field) ? `error-${field}` : undefined}
          onInput={(event) => onChange({ [field]: event.currentTarget.value.trim() })}
        />
        {hint !== undefined && <span class="hint">{hint}</span>}
      </label>
      <FieldError path={field} errors={errors} />
    </div>
  );
}

function VersionFields({ manifest, choice, errors, onChange }: FieldsProps): JSX.Element {
  const { channels } = manifest.status;
  const channel = channels.find(({ name }) => name === choice.channel);
  const isPinned = choice.kind === 'ClusterExtension';
  return (
    <>
      <label class="field">
        {texts.catalog.channel}
        <select
          value={choice.channel}
          onChange={(event) => onChange({ channel: event.currentTarget.value, version: '' })}
        >
          {channels.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div class="stack tight">
        <label class="field">
          {texts.install.version}
          <select value={choice.version} onChange={(event) => onChange({ version: event.currentTarget.value })}>
            <option value="">{texts.install.newest(channel?.currentCSVDesc?.version ?? '')}</option>
            {(channel?.entries ?? []).map(({ name, version = name }) => (
              <option key={name} value={version}>
                {version}
              </option>
            ))}
          </select>
          {isPinned && <span class="hint">{texts.install.pinHint}</span>}
        </label>
        <FieldError path="version" errors={errors} />
      </div>
    </>
  );
}

const kindTitles: Readonly<Record<InstallKind, string>> = texts.install.kinds;

/** Everything that can be chosen for one kind. */
export function Fields(props: FieldsProps): JSX.Element {
  const { row, manifest, choice, errors, onChange } = props;
  const channel = manifest.status.channels.find(({ name }) => name === choice.channel);
  const isPlatform = choice.kind === 'PlatformOperator';
  const isExtension = choice.kind === 'ClusterExtension';
  const shared = { choice, errors, onChange };
  return (
    <div class="body stack">
      <Radios
        title={texts.install.as}
        name="kind"
        values={kindsFor(row).map((kind) => [kind, kindTitles[kind]] as const)}
        current={choice.kind}
        onChange={(kind) => onChange({ kind })}
      />
      {choice.kind !== 'Subscription' && <Text title={texts.form.name} field="name" {...shared} />}
      {isPlatform ? <p class="muted">{texts.install.platformHint}</p> : <VersionFields {...props} />}
      {!isPlatform && (
        <>
          <Text title={texts.install.namespace} hint={texts.install.namespaceHint} field="namespace" {...shared} />
          <Radios
            title={texts.install.watches}
            name="mode"
            values={modesOf(channel).map((mode) => [mode, texts.install[mode]] as const)}
            current={choice.mode}
            onChange={(mode) => onChange({ mode })}
          />
          {choice.mode === 'selected' && (
            <Text title={texts.install.selected} hint={texts.install.selectedHint} field="watched" {...shared} />
          )}
        </>
      )}
      {isExtension && (
        <Text title={texts.install.account} hint={texts.install.accountHint} field="account" {...shared} />
      )}
      {!isExtension && (
        <Radios
          title={texts.install.approval}
          name="approval"
          values={[
            ['Automatic', texts.install.automatic],
            ['Manual', isPlatform ? texts.install.stays : texts.install.manual],
          ]}
          current={choice.approval}
          onChange={(approval) => onChange({ approval })}
        />
      )}
      {!isPlatform && (
        <details class="config">
          <summary>
            <span class="caret">
              <Icon name="caret" />
            </span>
            <strong>{texts.install.configuration}</strong>
          </summary>
          <div class="stack">
            <p class="hint">{texts.install.configurationHint}</p>
            <ObjectFields
              schema={deploymentConfig}
              value={choice.config}
              path="config"
              errors={errors}
              onChange={(config) => onChange({ config })}
            />
          </div>
        </details>
      )}
    </div>
  );
}
