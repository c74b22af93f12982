import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation } from '../../../server/wire.ts';
import { objectPath, request } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { patchLine } from '../../lib/shell.ts';
import { notify } from '../../lib/toasts.ts';
import { texts } from '../../texts.ts';
import { PermittedButton } from '../../ui/action.tsx';
import { CommandLine, Notice, Panel } from '../../ui/parts.tsx';
import { isValues, type Values } from '../../ui/schema/schema.ts';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Blockers, ChangeList, compare, type Found } from './change-list.tsx';
import { ChartValues } from './chart-values.tsx';
import { type ApiObject, installationKinds } from './kinds.ts';
import { managedKinds } from './managed/choice.ts';
import { ManagedChanges } from './managed/managed-changes.tsx';
import { mergePatch } from './merge-patch.ts';

const helmClass = 'core-rukpak-io-helm';

interface Template {
  readonly spec?: {
    readonly provisionerClassName?: string;
    readonly source?: { readonly type?: string; readonly image?: { readonly ref?: string } };
  };
}

function configOf(object: ApiObject | undefined): Values {
  const config = object?.spec?.['config'];
  return isValues(config) ? config : {};
}

/** Values of a chart, as they are now. A string of YAML is left to its author. */
function valuesOf(object: ApiObject | undefined): Values | undefined {
  const { values = {} } = configOf(object);
  return isValues(values) ? values : undefined;
}

function templateOf(object: ApiObject | undefined): Template {
  return (object?.spec?.['template'] ?? {}) as Template;
}

/** The deployment with another image, and with other values where it is a chart, as it would be applied. */
function withImage(object: ApiObject, ref: string, values: Values | undefined): ApiObject {
  const template = templateOf(object);
  const source = { ...template.spec?.source, type: 'image', image: { ...template.spec?.source?.image, ref } };
  const { name, annotations } = object.metadata;
  const metadata = { name, ...(annotations === undefined ? {} : { annotations }) };
  const config = values === undefined ? {} : { config: { ...configOf(object), values } };
  const spec = { ...object.spec, ...config, template: { ...template, spec: { ...template.spec, source } } };
  return { apiVersion: object.apiVersion, kind: object.kind, metadata, spec };
}

function ApplyButton(props: {
  readonly found: Found;
  readonly before: ApiObject;
  readonly desired: ApiObject;
}): JSX.Element | null {
  const { found, before, desired } = props;
  const kind = installationKinds['BundleDeployment'];
  const [problem, setProblem] = useState('');
  const isBlocked = found.blockers.length > 0;
  if (kind === undefined) return null;
  const ref = templateOf(desired).spec?.source?.image?.ref ?? '';
  const isSameImage = ref === templateOf(before).spec?.source?.image?.ref;
  const version = isSameImage ? texts.installation.newValues : (ref.split(/[:@]/).at(-1)?.slice(0, 20) ?? ref);
  const { name } = desired.metadata;
  const body = { spec: mergePatch(before.spec, desired.spec) };
  const apply = (): void => {
    const path = `${objectPath(kind, '', name)}?fieldManager=longshore-console`;
    request(path, { method: 'PATCH', body, type: 'application/merge-patch+json' }).then(
      () => {
        notify(texts.installation.changeDone(name, version));
        setQuery({ tab: '', image: '' });
      },
      (thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  const access = { verb: 'patch', group: kind.group, resource: kind.plural, name };
  return (
    <div class="stack tight">
      <CommandLine command={patchLine({ kind: desired.kind, namespace: '', name }, body)} />
      {problem !== '' && <Notice tone="danger" title={problem} />}
      <div class="toolbar">
        <PermittedButton access={access} className={isBlocked ? 'danger' : 'primary'} onClick={apply}>
          {isBlocked
            ? texts.installation.applyAnyway(version)
            : texts.installation.apply(version, found.changes.length)}
        </PermittedButton>
      </div>
    </div>
  );
}

/** The image that the deployment is to have. */
function ImageForm({ object }: { readonly object: ApiObject }): JSX.Element {
  const { query } = usePlace();
  const current = templateOf(object).spec?.source?.image?.ref ?? '';
  const [text, setText] = useState(query.get('image') ?? current);
  return (
    <form
      class="toolbar"
      style={{ alignItems: 'end' }}
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ image: text.trim() });
      }}
    >
      <label class="field grow">
        {texts.installation.reference}
        <input class="mono" value={text} onInput={(event) => setText(event.currentTarget.value)} required />
      </label>
      <button type="submit" class="button primary">
        {texts.installation.compare}
      </button>
    </form>
  );
}

function Outcome(props: {
  readonly found: Found;
  readonly before: ApiObject | undefined;
  readonly desired: ApiObject | undefined;
}): JSX.Element {
  const { found, before, desired } = props;
  return (
    <>
      <Blockers blockers={found.blockers} />
      {found.changes.length === 0 && found.blockers.length === 0 && (
        <Panel>
          <Empty icon="check" title={texts.installation.noChanges} />
        </Panel>
      )}
      {found.changes.length > 0 && <ChangeList changes={found.changes} />}
      <CommandLine command={found.command} />
      {before !== undefined && desired !== undefined && found.changes.length + found.blockers.length > 0 && (
        <ApplyButton found={found} before={before} desired={desired} />
      )}
    </>
  );
}

interface ChangesProps {
  readonly one: Installation;
  readonly object: ApiObject | undefined;
}

/** The image and the values of a deployment from an image. */
function ImageFields(props: {
  readonly object: ApiObject;
  readonly image: string;
  readonly onValues: (values: Values) => void;
}): JSX.Element | null {
  const { object, image, onValues } = props;
  const { source, provisionerClassName } = templateOf(object).spec ?? {};
  if (source?.type !== 'image') return null;
  const isChart = provisionerClassName === helmClass;
  return (
    <>
      <ImageForm object={object} />
      {isChart && (
        <ChartValues image={image || (source.image?.ref ?? '')} present={valuesOf(object)} onCompare={onValues} />
      )}
    </>
  );
}

/** The deployment as it is requested; undefined while nothing else is. */
function desiredOf(object: ApiObject | undefined, image: string, values: Values | undefined): ApiObject | undefined {
  if (object === undefined || (image === '' && values === undefined)) return undefined;
  return withImage(object, image || (templateOf(object).spec?.source?.image?.ref ?? ''), values);
}

/** What would change: now, or with another image or other values. Nothing is written before the button that names it. */
function DeploymentChanges({ one, object }: ChangesProps): JSX.Element {
  const { query } = usePlace();
  const image = query.get('image') ?? '';
  const [values, setValues] = useState<Values | undefined>();
  const desired = desiredOf(object, image, values);
  const key = object === undefined ? '' : `${one.uid} ${image} ${JSON.stringify(values)}`;
  const found = useLoad(key, (signal) => compare(one, desired === undefined ? {} : { deployment: desired }, signal));
  return (
    <div class="stack">
      <p class="muted">{texts.installation.changesHint}</p>
      {object !== undefined && <ImageFields object={object} image={image} onValues={setValues} />}
      {found.isLoading && <Skeleton />}
      {!found.isLoading && found.thrown !== undefined && <Failure thrown={found.thrown} onRetry={found.reload} />}
      {!found.isLoading && found.value !== undefined && (
        <Outcome found={found.value} before={object} desired={desired} />
      )}
    </div>
  );
}

/** What would change, or another version, channel or policy where it comes from a catalog. */
export function Changes({ one, object }: ChangesProps): JSX.Element {
  const { query } = usePlace();
  if (managedKinds[one.kind] === undefined) return <DeploymentChanges one={one} object={object} />;
  const isAsked = query.has('policy');
  return (
    <div class="stack">
      {object === undefined ? <Skeleton lines={3} /> : <ManagedChanges one={one} object={object} />}
      {!isAsked && one.kind !== 'Subscription' && <DeploymentChanges one={one} object={object} />}
    </div>
  );
}
