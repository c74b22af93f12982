import { dump } from 'js-yaml';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation, PackageRow } from '../../../../server/wire.ts';
import { objectPath, request } from '../../../lib/api.ts';
import { type Loaded, useLoad } from '../../../lib/load.ts';
import { setQuery } from '../../../lib/router.ts';
import { patchLine } from '../../../lib/shell.ts';
import { notify } from '../../../lib/toasts.ts';
import { texts } from '../../../texts.ts';
import { messageOf, PermittedButton } from '../../../ui/action.tsx';
import { CommandLine, Notice, Panel } from '../../../ui/parts.tsx';
import { ResolutionView } from '../../../ui/resolution.tsx';
import type { Values } from '../../../ui/schema/schema.ts';
import { Failure, Skeleton } from '../../../ui/states.tsx';
import { Blockers, ChangeList, compare, type Found } from '../change-list.tsx';
import { type ApiObject, installationKinds } from '../kinds.ts';
import { type Choice, managedKinds, packageOf, patchOf } from './choice.ts';
import { imageIn, useChoicePlan } from './plan.ts';

interface ProposalProps {
  readonly one: Installation;
  readonly object: ApiObject;
  readonly choice: Choice;
  readonly packages: readonly PackageRow[];
}

/** Sends the patch; with a signal it is a trial that writes nothing. */
async function sendPatch(one: Installation, patch: Values, trial?: AbortSignal): Promise<void> {
  const known = installationKinds[one.kind];
  if (known === undefined) return;
  const query = `fieldManager=longshore-console&fieldValidation=Strict${trial === undefined ? '' : '&dryRun=All'}`;
  await request(`${objectPath(known, one.namespace, one.name)}?${query}`, {
    method: 'PATCH',
    body: patch,
    type: 'application/merge-patch+json',
    ...(trial === undefined ? {} : { signal: trial }),
  });
}

/** The objects that another version changes. */
function ObjectChanges({ changes }: { readonly changes: Loaded<Found> }): JSX.Element | null {
  if (changes.isLoading) return <Skeleton />;
  if (changes.thrown !== undefined) return <Failure thrown={changes.thrown} onRetry={changes.reload} />;
  if (changes.value === undefined) return null;
  const { blockers, changes: list, command } = changes.value;
  return (
    <>
      <Blockers blockers={blockers} />
      {list.length > 0 && <ChangeList changes={list} />}
      <CommandLine command={command} />
    </>
  );
}

function RequestButton(props: {
  readonly one: Installation;
  readonly patch: Values;
  readonly isReady: boolean;
  readonly isBlocked: boolean;
}): JSX.Element | null {
  const { one, patch, isReady, isBlocked } = props;
  const [problem, setProblem] = useState('');
  const known = installationKinds[one.kind];
  if (known === undefined) return null;
  const apply = (): void => {
    sendPatch(one, patch).then(
      () => {
        notify(texts.managed.done(one.name));
        setQuery({ tab: '', version: '', channel: '', policy: '' });
      },
      (thrown: unknown) => setProblem(messageOf(thrown)),
    );
  };
  const { namespace, name } = one;
  const access = { verb: 'patch', group: known.group, resource: known.plural, namespace, name };
  return (
    <>
      {problem !== '' && <Notice tone="danger" title={problem} />}
      <CommandLine command={patchLine(one, patch)} />
      <div class="toolbar">
        <PermittedButton
          access={access}
          className={isBlocked ? 'danger' : 'primary'}
          isDisabled={!isReady}
          onClick={apply}
        >
          {isBlocked ? texts.managed.anyway(name) : texts.managed.apply(name)}
        </PermittedButton>
      </div>
    </>
  );
}

function Plan(props: {
  readonly one: Installation;
  readonly choice: Choice;
  readonly plan: ReturnType<typeof useChoicePlan>;
}): JSX.Element {
  const { one, choice, plan } = props;
  if (plan.isLoading) return <Skeleton />;
  if (plan.thrown !== undefined) return <Failure thrown={plan.thrown} onRetry={plan.reload} />;
  if (plan.value === undefined) {
    const isFollowing = managedKinds[one.kind]?.isFollowing(choice) === true;
    return <p>{isFollowing ? texts.managed.noCatalog : texts.managed.stays(one.version)}</p>;
  }
  return (
    <>
      <ResolutionView resolution={plan.value.resolution} />
      <CommandLine command={plan.value.command} />
    </>
  );
}

interface Outcome {
  readonly patch: Values | undefined;
  readonly plan: ReturnType<typeof useChoicePlan>;
  /** Of another image alone. */
  readonly changes: Loaded<Found> | undefined;
  /** Why the API server refuses the patch; empty where it does not. */
  readonly refusal: string;
  readonly isReady: boolean;
  readonly isBlocked: boolean;
}

/** What a choice leads to, asked of the resolver and of the API server. */
function useOutcome({ one, object, choice, packages }: ProposalProps): Outcome {
  const kind = managedKinds[one.kind];
  const patch = kind && patchOf(kind, object.spec ?? {}, choice);
  const plan = useChoicePlan(one, choice, packages);
  const resolution = plan.isLoading ? undefined : plan.value?.resolution;
  const image = one.kind === 'Subscription' ? '' : imageIn(resolution, packageOf(one).name);
  const changes = useLoad(image === '' ? '' : `${one.uid} ${image}`, (signal) => compare(one, { image }, signal));
  const trial = useLoad(patch === undefined ? '' : JSON.stringify(patch), async (signal) => {
    if (patch !== undefined) await sendPatch(one, patch, signal);
  });
  const refusal = trial.isLoading || trial.thrown === undefined ? '' : messageOf(trial.thrown);
  return {
    patch,
    plan,
    changes: image === '' ? undefined : changes,
    refusal,
    isReady: refusal === '' && [plan, changes, trial].every(({ isLoading }) => !isLoading),
    isBlocked: resolution?.outcome === 'conflict' || (changes.value?.blockers.length ?? 0) > 0,
  };
}

/** The plan of the resolver for a choice, the objects that change, what is written, and the button that writes it. */
export function Proposal(props: ProposalProps): JSX.Element | null {
  const { one, choice } = props;
  const { patch, plan, changes, refusal, isReady, isBlocked } = useOutcome(props);
  if (patch === undefined) return <p class="muted">{texts.installation.noChanges}</p>;
  return (
    <div class="stack">
      <h2>{texts.install.plan}</h2>
      <Plan one={one} choice={choice} plan={plan} />
      {changes !== undefined && <ObjectChanges changes={changes} />}
      <Panel title={texts.install.written}>
        <pre class="code flush" tabIndex={0}>
          {dump(patch, { noRefs: true })}
        </pre>
      </Panel>
      {refusal !== '' && (
        <Notice tone="danger" title={texts.install.refused}>
          <p class="message">{refusal}</p>
        </Notice>
      )}
      <RequestButton one={one} patch={patch} isReady={isReady} isBlocked={isBlocked} />
    </div>
  );
}
