import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { texts } from '../../texts.ts';
import { ActionDialog, failureText } from '../../ui/action.tsx';
import { Diff } from '../../ui/diff.tsx';
import { Notice } from '../../ui/parts.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { type ClusterVersion, type Condition, isTrue, type Release } from './cluster-version.ts';

type Body = Readonly<Record<string, unknown>>;

/** What the release changes, by a dry run: nothing is written. */
function DryRun({ body }: { readonly body: Body }): JSX.Element {
  const [asked, setAsked] = useState('');
  const key = JSON.stringify(body);
  const found = useLoad(asked === key ? key : '', (signal) => runCommand('upgradeChanges', body, signal));
  if (asked !== key) {
    return (
      <div>
        <button type="button" class="button" onClick={() => setAsked(key)}>
          {texts.updates.showChanges}
        </button>
      </div>
    );
  }
  if (found.thrown !== undefined) return <Failure thrown={found.thrown} onRetry={found.reload} />;
  if (found.value === undefined || found.isLoading) return <Skeleton />;
  const { exitCode, output, messages } = found.value;
  return (
    <div class="stack tight" data-dry-run>
      {exitCode !== 0 && <Notice tone="danger" title={failureText(found.value)} />}
      {exitCode === 0 && messages.trim() !== '' && (
        <Notice tone="warning" title={messages.trim().replaceAll(/^warning: /gm, '')} />
      )}
      {exitCode === 0 && <Diff text={String(output).replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]+/g, '$1…')} />}
    </div>
  );
}

function Choice(props: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}): JSX.Element {
  const { label, isChecked, onChange } = props;
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

const other = 'other';

type Target = Release & { readonly risks: readonly string[] };

function targetsOf({ status }: ClusterVersion): readonly Target[] {
  const available = status?.availableUpdates ?? [];
  const recommended = new Set(available.map(({ image }) => image));
  const risky = (status?.conditionalUpdates ?? []).filter(({ release }) => !recommended.has(release?.image));
  return [
    ...available.map((release) => ({ ...release, risks: [] })),
    ...risky.map(({ release, risks = [] }) => ({ ...release, risks: risks.map(({ name }) => name) })),
  ];
}

/** What the user has chosen. `target` is one of the releases by its image, or another one. */
interface Chosen {
  readonly target: string;
  readonly reference: string;
  readonly acceptsRisks: boolean;
  readonly acceptsWarnings: boolean;
}

type Choose = (changes: Partial<Chosen>) => void;

function TargetFields(props: {
  readonly targets: readonly Target[];
  readonly chosen: Chosen;
  readonly choose: Choose;
}): JSX.Element {
  const { targets, chosen, choose } = props;
  return (
    <>
      <label class="field">
        {texts.updates.target}
        <select value={chosen.target} onChange={(event) => choose({ target: event.currentTarget.value })}>
          {targets.map(({ image, version, risks }) => (
            <option key={image} value={image}>
              {version}
              {risks.length > 0 ? ` (${texts.updates.notRecommended})` : ''}
            </option>
          ))}
          <option value={other}>{texts.updates.otherRelease}</option>
        </select>
      </label>
      {chosen.target === other && (
        <label class="field">
          {texts.updates.image}
          <input
            class="mono"
            value={chosen.reference}
            onInput={(event) => choose({ reference: event.currentTarget.value })}
          />
          <span class="hint">{texts.updates.imageHint}</span>
        </label>
      )}
    </>
  );
}

/** What has to be accepted before the release is requested. */
function Acceptances(props: {
  readonly risks: readonly string[];
  readonly warnings: readonly Condition[];
  readonly chosen: Chosen;
  readonly choose: Choose;
}): JSX.Element {
  const { risks, warnings, chosen, choose } = props;
  return (
    <>
      {risks.length > 0 && (
        <Choice
          label={texts.updates.acceptAll(risks.join(', '))}
          isChecked={chosen.acceptsRisks}
          onChange={(acceptsRisks) => choose({ acceptsRisks })}
        />
      )}
      {warnings.map(({ type, message }) => (
        <Notice key={type} tone="warning" title={message ?? type} />
      ))}
      {warnings.length > 0 && (
        <Choice
          label={texts.updates.acceptWarnings}
          isChecked={chosen.acceptsWarnings}
          onChange={(acceptsWarnings) => choose({ acceptsWarnings })}
        />
      )}
    </>
  );
}

function bodyOf(target: Target | undefined, chosen: Chosen, warnings: readonly Condition[]): Body {
  return {
    ...(target === undefined ? { image: chosen.reference.trim() } : { version: target.version }),
    ...(target !== undefined && target.risks.length > 0 ? { acceptsRisks: chosen.acceptsRisks } : {}),
    ...(warnings.length > 0 ? { acceptsWarnings: chosen.acceptsWarnings } : {}),
  };
}

/** Chooses a release, accepts what has to be accepted, and requests it. */
export function UpdateDialog(props: {
  readonly version: ClusterVersion;
  readonly image: string;
  readonly onClose: () => void;
}): JSX.Element {
  const { version, image, onClose } = props;
  const targets = targetsOf(version);
  const [chosen, setChosen] = useState<Chosen>({
    target: image === '' ? (targets[0]?.image ?? other) : image,
    reference: '',
    acceptsRisks: false,
    acceptsWarnings: false,
  });
  const choose: Choose = (changes) => setChosen((before) => ({ ...before, ...changes }));
  const target = targets.find((one) => one.image === chosen.target);
  const risks = target?.risks ?? [];
  const warnings = ['Failing', 'Invalid', 'Progressing'].flatMap(
    (type) => isTrue(version.status?.conditions, type) ?? [],
  );
  const isAccepted = (risks.length === 0 || chosen.acceptsRisks) && (warnings.length === 0 || chosen.acceptsWarnings);
  const isReady = isAccepted && (target !== undefined || chosen.reference.trim() !== '');
  const body = bodyOf(target, chosen, warnings);
  const name = target?.version ?? texts.updates.otherRelease;
  return (
    <ActionDialog
      title={texts.updates.request}
      command="upgrade"
      body={body}
      button={texts.updates.updateTo(name)}
      done={texts.updates.requested(name)}
      isWide
      isReady={isReady}
      onClose={onClose}
    >
      <TargetFields targets={targets} chosen={chosen} choose={choose} />
      <Acceptances risks={risks} warnings={warnings} chosen={chosen} choose={choose} />
      {isReady && <DryRun body={body} />}
    </ActionDialog>
  );
}
