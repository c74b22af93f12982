import { dump } from 'js-yaml';
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useLoad } from '../../../lib/load.ts';
import { notify } from '../../../lib/toasts.ts';
import { texts } from '../../../texts.ts';
import { messageOf, PermittedButton } from '../../../ui/action.tsx';
import { Diff } from '../../../ui/diff.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { CommandLine, copyText, Notice } from '../../../ui/parts.tsx';
import { fieldErrors, isValues, type Schema, type Values } from '../../../ui/schema/schema.ts';
import { FieldError, ObjectFields } from '../../../ui/schema/schema-form.tsx';
import type { Created } from '../install/objects.ts';
import { create } from '../install/try-out.ts';
import type { DescribedApi, Head } from '../manifest.ts';
import type { Definition } from './definition.ts';
import { exampleOf, specSchema } from './descriptors.ts';
import { type InstanceTrial, tryInstance } from './trial.ts';

interface FormProps {
  readonly api: DescribedApi;
  readonly head: Head;
  readonly definition: Definition;
  readonly installPath: string;
  readonly onClose: () => void;
}

interface Draft {
  readonly name: string;
  readonly namespace: string;
  readonly spec: Values;
}

/** Any object, as YAML. */
const asYaml: Schema = { type: 'object', properties: { spec: { title: 'spec' } } };

function draftOf(example: Values | undefined, { kind }: DescribedApi): Draft {
  const metadata = example?.['metadata'];
  const name = isValues(metadata) ? metadata['name'] : undefined;
  const spec = example?.['spec'];
  return {
    name: typeof name === 'string' ? name : kind.toLowerCase(),
    namespace: 'default',
    spec: isValues(spec) ? spec : {},
  };
}

/** The object of a draft, and where it is created. */
function createdOf({ name: api, version, kind }: DescribedApi, { name, namespace, spec }: Draft): Created {
  const [plural = '', ...rest] = api.split('.');
  const group = rest.join('.');
  const apiVersion = `${group}/${version}`;
  const metadata = { name, ...(namespace === '' ? {} : { namespace }) };
  const object = { apiVersion, kind, metadata, spec };
  return { object, known: { apiVersion, plural, group }, namespace };
}

function Result({ trial, text }: { readonly trial: InstanceTrial | undefined; readonly text: string }): JSX.Element {
  if (trial === undefined) return <p class="muted">{texts.install.trying}</p>;
  if (trial.refusal !== '') {
    return (
      <>
        <Notice tone="danger" title={texts.install.refused}>
          <p class="message">{trial.refusal}</p>
        </Notice>
        <pre class="code" tabIndex={0}>
          {text}
        </pre>
      </>
    );
  }
  return (
    <>
      <p class="row">
        <span class="tone-ok">
          <Icon name="check" />
        </span>
        {texts.install.accepted}
      </p>
      <p class="hint">{texts.instance.diffHint}</p>
      <Diff text={trial.diff} />
    </>
  );
}

/** Before the operator is installed, there is nothing to ask. */
function Absent({ installPath, text }: { readonly installPath: string; readonly text: string }): JSX.Element {
  return (
    <>
      <Notice tone="info" title={texts.instance.absent}>
        <p>
          <a href={installPath}>{texts.catalog.installButton}</a>
        </p>
      </Notice>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    </>
  );
}

function Fields(props: {
  readonly draft: Draft;
  readonly schema: Schema;
  readonly errors: ReadonlyMap<string, string>;
  readonly isNamespaced: boolean;
  readonly onChange: (part: Partial<Draft>) => void;
}): JSX.Element {
  const { draft, schema, errors, isNamespaced, onChange } = props;
  const [isYaml, setYaml] = useState(false);
  const { name, namespace, spec } = draft;
  return (
    <div class="stack">
      <label class="field">
        {texts.form.name}
        <input value={name} onInput={(event) => onChange({ name: event.currentTarget.value.trim() })} />
      </label>
      <FieldError path="metadata.name" errors={errors} />
      {isNamespaced && (
        <label class="field">
          {texts.install.namespace}
          <input value={namespace} onInput={(event) => onChange({ namespace: event.currentTarget.value.trim() })} />
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={isYaml} onChange={() => setYaml(!isYaml)} />
        {texts.instance.asYaml}
      </label>
      {isYaml ? (
        <ObjectFields
          schema={asYaml}
          value={{ spec }}
          errors={errors}
          onChange={(value) => onChange({ spec: isValues(value['spec']) ? value['spec'] : {} })}
        />
      ) : (
        <ObjectFields
          schema={schema}
          value={spec}
          path="spec"
          errors={errors}
          onChange={(value) => onChange({ spec: value })}
        />
      )}
    </div>
  );
}

function CreateButton(props: {
  readonly created: Created;
  readonly isReady: boolean;
  readonly onClose: () => void;
}): JSX.Element {
  const { created, isReady, onClose } = props;
  const { object, known, namespace } = created;
  const [problem, setProblem] = useState('');
  const [isRunning, setRunning] = useState(false);
  const run = (): void => {
    setRunning(true);
    create(created, false)
      .then(() => {
        notify(texts.instance.done(object.kind, object.metadata.name));
        onClose();
      })
      .catch((thrown: unknown) => setProblem(messageOf(thrown)))
      .finally(() => setRunning(false));
  };
  const access = { verb: 'create', group: known.group, resource: known.plural, ...(namespace && { namespace }) };
  return (
    <>
      {problem !== '' && <Notice tone="danger" title={problem} />}
      <PermittedButton access={access} className="primary" isDisabled={!isReady || isRunning} onClick={run}>
        {texts.instance.create(object.kind, object.metadata.name)}
      </PermittedButton>
    </>
  );
}

interface Prepared {
  readonly created: Created;
  readonly text: string;
  readonly errors: ReadonlyMap<string, string>;
  /** Whether the form has no error of its own. */
  readonly isComplete: boolean;
  readonly trial: InstanceTrial | undefined;
}

/** The object of a draft, and what the API server answers to it; asked again when it changes. */
function usePrepared(api: DescribedApi, draft: Draft, schema: Schema | undefined): Prepared {
  const own = schema === undefined ? new Map<string, string>() : fieldErrors(schema, draft.spec, 'spec');
  const created = createdOf(api, draft);
  const text = dump(created.object, { noRefs: true });
  const isComplete = own.size === 0 && draft.name !== '';
  const key = schema === undefined || !isComplete ? '' : text;
  const tried = useLoad(key, (signal) => tryInstance(created, signal));
  const trial = key === '' || tried.isLoading ? undefined : tried.value;
  return { created, text, errors: new Map([...(trial?.errors ?? []), ...own]), isComplete, trial };
}

/** The form, what the API server would store, and the button that creates it. */
export function InstanceForm({ api, head, definition, installPath, onClose }: FormProps): JSX.Element {
  const isAbsent = definition.state === 'absent';
  const isNamespaced = definition.state !== 'present' || definition.isNamespaced;
  const example = useMemo(() => exampleOf(head, api), [head, api]);
  const schema = useMemo(
    () => specSchema(api, example, definition.state === 'present' ? definition.spec : undefined),
    [api, example, definition],
  );
  const [draft, setDraft] = useState(() => draftOf(example, api));
  const asked = isNamespaced ? draft : { ...draft, namespace: '' };
  const { created, text, errors, isComplete, trial } = usePrepared(api, asked, isAbsent ? undefined : schema);
  return (
    <>
      <div class="split even">
        <Fields
          draft={draft}
          schema={schema}
          errors={errors}
          isNamespaced={isNamespaced}
          onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
        />
        <div class="stack">
          {isAbsent && <Absent installPath={installPath} text={text} />}
          {!isAbsent && !isComplete && <Notice tone="warning" title={texts.install.incomplete} />}
          {!isAbsent && isComplete && <Result trial={trial} text={text} />}
          <CommandLine command={texts.instance.line} />
        </div>
      </div>
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          {texts.keys.close}
        </button>
        <button type="button" class="button" onClick={() => copyText(text)}>
          {texts.install.copy}
        </button>
        {!isAbsent && <CreateButton created={created} isReady={trial?.refusal === ''} onClose={onClose} />}
      </div>
    </>
  );
}
