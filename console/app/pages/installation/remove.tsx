import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation } from '../../../server/wire.ts';
import { objectPath, request } from '../../lib/api.ts';
import { type Loaded, useLoad } from '../../lib/load.ts';
import { type Removal, readRelations, referenceKey } from '../../lib/relations.ts';
import { go } from '../../lib/router.ts';
import { texts } from '../../texts.ts';
import { ActionDialog, type Deed, messageOf, PermittedButton } from '../../ui/action.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/parts.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { installationKinds } from './kinds.ts';

const explanations: Readonly<Record<string, string>> = {
  BundleDeployment: texts.installation.removeBundle,
  Subscription: texts.installation.removeOperator,
  ClusterExtension: texts.installation.removeManaged,
  PlatformOperator: texts.installation.removeManaged,
};

function Breaks({ breaks }: { readonly breaks: Removal['breaks'] }): JSX.Element {
  if (breaks.length === 0) return <p>{texts.removal.breaksNothing}</p>;
  return (
    <Notice tone="danger" title={texts.removal.breaks(breaks.length)}>
      <ul class="todo">
        {breaks.map((one) => (
          <li key={referenceKey(one)} class="break">
            <strong>{one.name}</strong> <span class="muted">{one.kind}</span>{' '}
            {texts.removal.needs(one.needs.join(', '))}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Definitions({ definitions }: Pick<Removal, 'definitions'>): JSX.Element | null {
  if (definitions.length === 0) return null;
  return (
    <div class="stack tight">
      <h3>{texts.removal.definitions}</h3>
      <ul class="todo">
        {definitions.map(({ name, kind, objects, isMore, fate }) => (
          <li key={name} class="break">
            <strong>{kind}</strong> <span class="muted mono">{name}</span>{' '}
            {objects > 0 && `(${texts.removal.objects(objects, isMore)}) `}
            {texts.removal.fates[fate]}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What would break; an installation that has brought nothing yet breaks nothing. */
function Consequences({ found }: { readonly found: Loaded<Removal | undefined> }): JSX.Element | null {
  if (found.isLoading) {
    return (
      <div>
        <p class="muted">{texts.removal.checking}</p>
        <Skeleton lines={2} />
      </div>
    );
  }
  if (found.thrown !== undefined) {
    return (
      <Notice tone="warning" title={texts.dependencies.incomplete}>
        <p class="message">{messageOf(found.thrown)}</p>
      </Notice>
    );
  }
  if (found.value === undefined) return <p>{texts.removal.breaksNothing}</p>;
  return (
    <>
      <Breaks breaks={found.value.breaks} />
      <Definitions definitions={found.value.definitions} />
    </>
  );
}

/** Nothing where nothing is installed for it yet. */
async function readRemoval(one: Installation, signal: AbortSignal): Promise<Removal | undefined> {
  try {
    return (await readRelations(one, signal)).removal;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.message.includes('no such bundle is installed')) return undefined;
    throw thrown;
  }
}

/** Admission may refuse a removal: it is asked before the button is. */
function useRefusal(one: Installation): string {
  const kind = installationKinds[one.kind];
  const tried = useLoad(one.uid, async (signal) => {
    if (kind === undefined) return;
    await request(`${objectPath(kind, one.namespace, one.name)}?dryRun=All`, { method: 'DELETE', signal });
  });
  return tried.thrown === undefined ? '' : messageOf(tried.thrown);
}

/** Kinds that the program has a command for; the others are deleted as kubectl does. */
function deedOf(one: Installation): Deed {
  const { kind, namespace, name } = one;
  const known = installationKinds[kind];
  if (known === undefined || ['BundleDeployment', 'Subscription'].includes(kind)) {
    return { command: 'remove', body: { kind, name, ...(namespace === '' ? {} : { namespace }) } };
  }
  const line = `kubectl delete ${kind.toLowerCase()} ${name}`;
  return { line, run: () => request(objectPath(known, namespace, name), { method: 'DELETE' }) };
}

function RemoveDialog({ one, onClose }: { readonly one: Installation; readonly onClose: () => void }): JSX.Element {
  const found = useLoad(one.uid, (signal) => readRemoval(one, signal));
  const refusal = useRefusal(one);
  const isBreaking = (found.value?.breaks.length ?? 0) > 0;
  return (
    <ActionDialog
      title={texts.installation.removeTitle(one.name)}
      {...deedOf(one)}
      button={isBreaking ? texts.removal.anyway(one.name) : texts.installation.removeButton(one.name)}
      isDangerous
      done={texts.installation.removing(one.name)}
      onClose={onClose}
      onDone={() => go('/installed')}
      isWide
    >
      <p>{explanations[one.kind]}</p>
      {refusal !== '' && (
        <Notice tone="danger" title={texts.removal.refused}>
          <p class="message">{refusal}</p>
        </Notice>
      )}
      <Consequences found={found} />
    </ActionDialog>
  );
}

/** Removes an installation, after what would break was shown. */
export function RemoveButton({ one }: { readonly one: Installation }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const kind = installationKinds[one.kind];
  if (kind === undefined) return null;
  const access = { verb: 'delete', group: kind.group, resource: kind.plural, namespace: one.namespace, name: one.name };
  return (
    <>
      <PermittedButton access={access} className="danger" onClick={() => setOpen(true)}>
        <Icon name="trash" />
        {texts.installation.remove}
      </PermittedButton>
      {isOpen && <RemoveDialog one={one} onClose={() => setOpen(false)} />}
    </>
  );
}
