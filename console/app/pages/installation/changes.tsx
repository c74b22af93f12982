import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation } from '../../../server/wire.ts';
import { objectPath, request, runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { notify } from '../../lib/toasts.ts';
import { texts } from '../../texts.ts';
import { failureText, PermittedButton } from '../../ui/action.tsx';
import { Diff } from '../../ui/diff.tsx';
import { Icon } from '../../ui/icon.tsx';
import { CommandLine, Notice, Panel } from '../../ui/parts.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { type ApiObject, installationKinds } from './kinds.ts';

interface Change {
  readonly action: 'create' | 'update' | 'delete';
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly diff: string;
}

interface Found {
  readonly changes: readonly Change[];
  readonly kept: readonly { readonly kind: string; readonly name: string }[];
  readonly blockers: readonly string[];
  readonly command: string;
}

const marks = { create: 'plus', update: 'activity', delete: 'minus' } as const;

interface Template {
  readonly spec?: { readonly source?: { readonly type?: string; readonly image?: { readonly ref?: string } } };
}

function templateOf(object: ApiObject | undefined): Template {
  return (object?.spec?.['template'] ?? {}) as Template;
}

/** The deployment with another image, as it would be applied. */
function withImage(object: ApiObject, ref: string): ApiObject {
  const template = templateOf(object);
  const source = { ...template.spec?.source, type: 'image', image: { ...template.spec?.source?.image, ref } };
  const { name, annotations } = object.metadata;
  const metadata = { name, ...(annotations === undefined ? {} : { annotations }) };
  const spec = { ...object.spec, template: { ...template, spec: { ...template.spec, source } } };
  return { apiVersion: object.apiVersion, kind: object.kind, metadata, spec };
}

async function compare(one: Installation, deployment: ApiObject | undefined, signal: AbortSignal): Promise<Found> {
  const body = { name: one.name, ...(deployment === undefined ? {} : { deployment }) };
  const result = await runCommand('diff', body, signal);
  if (typeof result.output === 'string') throw new Error(failureText(result));
  return { ...(result.output as Omit<Found, 'command'>), command: result.command };
}

function count(changes: readonly Change[], action: Change['action']): number {
  return changes.filter((change) => change.action === action).length;
}

function ChangeList({ changes }: { readonly changes: readonly Change[] }): JSX.Element {
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

function Blockers({ blockers }: { readonly blockers: readonly string[] }): JSX.Element | null {
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

function ApplyButton({ found, desired }: { readonly found: Found; readonly desired: ApiObject }): JSX.Element | null {
  const kind = installationKinds['BundleDeployment'];
  const [problem, setProblem] = useState('');
  const isBlocked = found.blockers.length > 0;
  if (kind === undefined) return null;
  const ref = templateOf(desired).spec?.source?.image?.ref ?? '';
  const version = ref.split(/[:@]/).at(-1)?.slice(0, 20) ?? ref;
  const apply = (): void => {
    const path = `${objectPath(kind, '', desired.metadata.name)}?fieldManager=longshore-console`;
    const body = { spec: desired.spec };
    request(path, { method: 'PATCH', body, type: 'application/merge-patch+json' }).then(
      () => {
        notify(texts.installation.apply(version, found.changes.length));
        setQuery({ tab: '', image: '' });
      },
      (thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  const access = { verb: 'patch', group: kind.group, resource: kind.plural, name: desired.metadata.name };
  return (
    <div class="stack tight">
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

function Outcome({ found, desired }: { readonly found: Found; readonly desired: ApiObject | undefined }): JSX.Element {
  return (
    <>
      <Blockers blockers={found.blockers} />
      {found.changes.length === 0 && found.blockers.length === 0 && (
        <Panel>
          <Empty icon="check" title={texts.installation.noChanges} />
        </Panel>
      )}
      {found.changes.length > 0 && <ChangeList changes={found.changes} />}
      {desired !== undefined && found.changes.length + found.blockers.length > 0 && (
        <ApplyButton found={found} desired={desired} />
      )}
      <CommandLine command={found.command} />
    </>
  );
}

/** What would change: now, or with another image. Nothing is written before the button that names it. */
export function Changes({
  one,
  object,
}: {
  readonly one: Installation;
  readonly object: ApiObject | undefined;
}): JSX.Element {
  const { query } = usePlace();
  const image = query.get('image') ?? '';
  const isImage = templateOf(object).spec?.source?.type === 'image';
  const desired = object !== undefined && image !== '' ? withImage(object, image) : undefined;
  const key = object === undefined ? '' : `${one.uid} ${image}`;
  const found = useLoad(key, (signal) => compare(one, desired, signal));
  return (
    <div class="stack">
      <p class="muted">{texts.installation.changesHint}</p>
      {isImage && object !== undefined && <ImageForm object={object} />}
      {found.isLoading && <Skeleton />}
      {!found.isLoading && found.thrown !== undefined && <Failure thrown={found.thrown} onRetry={found.reload} />}
      {!found.isLoading && found.value !== undefined && <Outcome found={found.value} desired={desired} />}
    </div>
  );
}
