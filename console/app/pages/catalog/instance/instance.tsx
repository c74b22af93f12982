import { dump } from 'js-yaml';
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { texts } from '../../../texts.ts';
import { CommandLine, copyText, Dialog } from '../../../ui/parts.tsx';
import { fieldErrors, isValues, type Values } from '../../../ui/schema/schema.ts';
import { ObjectFields } from '../../../ui/schema/schema-form.tsx';
import type { DescribedApi, Head } from '../manifest.ts';
import { exampleOf, specSchema } from './descriptors.ts';

function apiVersionOf({ name, version }: DescribedApi): string {
  return `${name.slice(name.indexOf('.') + 1)}/${version}`;
}

function nameIn(example: Values | undefined, kind: string): string {
  const metadata = example?.['metadata'];
  const name = isValues(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : kind.toLowerCase();
}

function InstanceDialog(props: {
  readonly api: DescribedApi;
  readonly head: Head;
  readonly onClose: () => void;
}): JSX.Element {
  const { api, head, onClose } = props;
  const example = useMemo(() => exampleOf(head, api), [head, api]);
  const schema = useMemo(() => specSchema(api, example), [api, example]);
  const [name, setName] = useState(nameIn(example, api.kind));
  const [namespace, setNamespace] = useState('default');
  const [spec, setSpec] = useState<Values>(isValues(example?.['spec']) ? example['spec'] : {});
  const errors = fieldErrors(schema, spec, 'spec');
  const metadata = { name, ...(namespace === '' ? {} : { namespace }) };
  const text = dump({ apiVersion: apiVersionOf(api), kind: api.kind, metadata, spec }, { noRefs: true });
  const title = texts.instance.title(api.kind);
  return (
    <Dialog title={title} onClose={onClose} className="wide">
      <div class="content">
        <h2>{title}</h2>
        <p class="muted">{texts.instance.hint}</p>
        <div class="split">
          <div class="stack">
            <label class="field">
              {texts.form.name}
              <input value={name} onInput={(event) => setName(event.currentTarget.value.trim())} />
            </label>
            <label class="field">
              {texts.install.namespace}
              <input value={namespace} onInput={(event) => setNamespace(event.currentTarget.value.trim())} />
              <span class="hint">{texts.instance.namespaceHint}</span>
            </label>
            <ObjectFields schema={schema} value={spec} path="spec" errors={errors} onChange={setSpec} />
          </div>
          <div class="stack">
            <pre class="code" tabIndex={0}>
              {text}
            </pre>
            <CommandLine command={texts.install.applyLine} />
          </div>
        </div>
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            {texts.keys.close}
          </button>
          <button type="button" class="button primary" disabled={errors.size > 0} onClick={() => copyText(text)}>
            {texts.install.copy}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** Writes the manifest of an object of an API, by its descriptors and its example. */
export function InstanceButton({ api, head }: { readonly api: DescribedApi; readonly head: Head }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {texts.instance.button(api.kind)}
      </button>
      {isOpen && <InstanceDialog api={api} head={head} onClose={() => setOpen(false)} />}
    </>
  );
}
