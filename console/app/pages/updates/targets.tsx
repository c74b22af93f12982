import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { StatusWord } from '../../../server/wire.ts';
import { texts } from '../../texts.ts';
import { ActionDialog, PermittedButton } from '../../ui/action.tsx';
import { safeUrl } from '../../ui/markdown.tsx';
import { Ago, Panel, Reference, Status } from '../../ui/parts.tsx';
import {
  type ClusterVersion,
  type Condition,
  type ConditionalUpdate,
  type Risk,
  updateAccess,
} from './cluster-version.ts';

/** Whether a risk applies, in the words of the condition. */
function AppliesTo({ condition }: { readonly condition: Condition | undefined }): JSX.Element {
  const status = condition?.status ?? 'Unknown';
  const word: StatusWord = status === 'False' ? 'Healthy' : status === 'True' ? 'Degraded' : 'Unknown';
  const text = { True: texts.updates.applies, False: texts.updates.appliesNot }[status] ?? texts.updates.appliesUnknown;
  return (
    <span class="row wrap">
      <Status word={word} text={text} />
      <Ago time={condition?.lastTransitionTime ?? ''} />
      {condition?.message !== undefined && <span class="muted break">{condition.message}</span>}
    </span>
  );
}

/** The rules that decide whether a risk applies, as they are evaluated. */
function Rules({ rules }: { readonly rules: NonNullable<Risk['matchingRules']> }): JSX.Element {
  return (
    <>
      {rules.map(({ type, promql }, index) =>
        promql?.promql === undefined ? (
          <p key={index} class="muted">
            {type === 'Always' ? texts.updates.ruleAlways : type}
          </p>
        ) : (
          <div key={index} class="stack tight">
            <span class="muted">{texts.updates.rulePromql}</span>
            <pre class="code" tabIndex={0}>
              {promql.promql}
            </pre>
          </div>
        ),
      )}
    </>
  );
}

function AcceptButton({ risk, isAccepted }: { readonly risk: Risk; readonly isAccepted: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const title = isAccepted ? texts.updates.withdraw(risk.name) : texts.updates.accept(risk.name);
  return (
    <>
      <PermittedButton access={updateAccess} onClick={() => setOpen(true)}>
        {title}
      </PermittedButton>
      {isOpen && (
        <ActionDialog
          title={title}
          command="upgradeAccept"
          body={{ risk: risk.name, isWithdrawn: isAccepted }}
          button={title}
          done={title}
          onClose={() => setOpen(false)}
        >
          <p>{isAccepted ? texts.updates.withdrawHint : texts.updates.acceptHint}</p>
        </ActionDialog>
      )}
    </>
  );
}

function RiskRow({ risk, isAccepted }: { readonly risk: Risk; readonly isAccepted: boolean }): JSX.Element {
  const url = safeUrl(risk.url ?? '');
  const applies = risk.conditions?.find(({ type }) => type === 'Applies');
  return (
    <div class="stack tight risk">
      <div class="row wrap">
        <strong>{risk.name}</strong>
        {isAccepted && <span class="chip">{texts.updates.accepted}</span>}
        {url !== undefined && (
          <a href={url} target="_blank" rel="noopener noreferrer nofollow">
            {texts.updates.riskPage}
          </a>
        )}
      </div>
      <p class="message">{risk.message}</p>
      <AppliesTo condition={applies} />
      <Rules rules={risk.matchingRules ?? []} />
      <div class="toolbar">
        <AcceptButton risk={risk} isAccepted={isAccepted} />
      </div>
    </div>
  );
}

interface TargetRow {
  readonly update: ConditionalUpdate;
  readonly isRecommended: boolean;
}

/** Updates that the cluster knows, those with risks with what decides about them. */
export function Targets({
  version,
  onChoose,
}: {
  readonly version: ClusterVersion;
  readonly onChoose: (image: string) => void;
}): JSX.Element {
  const { availableUpdates, conditionalUpdates = [], conditionalUpdateRisks = [] } = version.status ?? {};
  const evaluated = new Map(conditionalUpdateRisks.map((risk) => [risk.name, risk]));
  const accepted = new Set(version.spec?.desiredUpdate?.acceptRisks?.map(({ name }) => name));
  const risky = new Set(conditionalUpdates.map(({ release }) => release?.image));
  const recommended = new Set((availableUpdates ?? []).map(({ image }) => image));
  const rows: readonly TargetRow[] = [
    ...(availableUpdates ?? [])
      .filter(({ image }) => !risky.has(image))
      .map((release) => ({ update: { release }, isRecommended: true })),
    ...conditionalUpdates.map((update) => ({ update, isRecommended: recommended.has(update.release?.image) })),
  ];
  return (
    <Panel title={texts.updates.available} aside={<span class="muted">{version.spec?.channel}</span>}>
      {rows.length === 0 ? (
        <p class="body muted">{availableUpdates === null ? texts.updates.unknown : texts.updates.none}</p>
      ) : (
        <ul class="list">
          {rows.map(({ update: { release = {}, risks = [], conditions = [] }, isRecommended }) => (
            <li key={release.image} class="stack">
              <div class="row wrap">
                <strong>{release.version}</strong>
                <Status
                  word={isRecommended ? 'Healthy' : 'Degraded'}
                  text={isRecommended ? texts.updates.recommended : texts.updates.notRecommended}
                />
                <span class="grow">
                  <Reference text={release.image ?? ''} />
                </span>
                <PermittedButton access={updateAccess} onClick={() => onChoose(release.image ?? '')}>
                  {texts.updates.updateTo(release.version ?? '')}
                </PermittedButton>
              </div>
              {!isRecommended &&
                risks.length !== 1 &&
                conditions
                  .filter(({ type }) => type === 'Recommended')
                  .map(({ type, message }) => (
                    <p key={type} class="muted message">
                      {message}
                    </p>
                  ))}
              {risks.map((risk) => {
                const known = evaluated.get(risk.name);
                return <RiskRow key={risk.name} risk={{ ...known, ...risk }} isAccepted={accepted.has(risk.name)} />;
              })}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
