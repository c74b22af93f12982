import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation } from '../../../server/wire.ts';
import { runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { texts } from '../../texts.ts';
import { ActionDialog, failureText, PermittedButton } from '../../ui/action.tsx';
import { Ago, Panel, Reference } from '../../ui/parts.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { installationKinds } from './kinds.ts';

interface Revision {
  readonly revision: number;
  readonly version: string;
  readonly bundle: string;
  readonly source: string;
  readonly installedAt: string;
}

function Rows({
  one,
  revisions,
}: {
  readonly one: Installation;
  readonly revisions: readonly Revision[];
}): JSX.Element {
  const [chosen, setChosen] = useState<number | undefined>();
  const { group = '', plural = '' } = installationKinds[one.kind] ?? {};
  const access = { verb: 'patch', group, resource: plural, name: one.name };
  // What is installed for a PlatformOperator is chosen by it.
  const isChosen = one.kind !== 'PlatformOperator';
  return (
    <Panel>
      <div class="scroll" tabIndex={0} role="group" aria-label={texts.installation.tabs.history}>
        <table>
          <thead>
            <tr>
              <th>{texts.installation.revision}</th>
              <th>{texts.installed.version}</th>
              <th>{texts.installation.source}</th>
              <th>{texts.installation.installedAt}</th>
              <th>
                <span class="visually-hidden">{texts.installation.rollBack}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {revisions.toReversed().map((row, index) => (
              <tr key={row.revision}>
                <td>
                  {row.revision} {index === 0 && <span class="chip">{texts.installation.current}</span>}
                </td>
                <td>{row.version}</td>
                <td>
                  <Reference text={row.source} />
                </td>
                <td>
                  <Ago time={row.installedAt} />
                </td>
                <td>
                  {index > 0 && isChosen && (
                    <PermittedButton access={access} onClick={() => setChosen(row.revision)}>
                      {texts.installation.rollBack}
                    </PermittedButton>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {chosen !== undefined && (
        <ActionDialog
          title={texts.installation.rollBackTo(chosen)}
          command="rollback"
          body={{ kind: one.kind, name: one.name, revision: chosen }}
          button={texts.installation.rollBackTo(chosen)}
          done={texts.installation.rollingBack(chosen)}
          onClose={() => setChosen(undefined)}
        >
          <p>{texts.installation.rollBackHint}</p>
        </ActionDialog>
      )}
    </Panel>
  );
}

/** What was installed before. */
export function History({ one }: { readonly one: Installation }): JSX.Element {
  const key = `${one.uid} ${one.version} ${one.status}`;
  const found = useLoad(key, async (signal) => {
    const result = await runCommand('history', { kind: one.kind, name: one.name }, signal);
    if (!Array.isArray(result.output)) throw new Error(failureText(result));
    return result.output as readonly Revision[];
  });
  if (found.thrown !== undefined) return <Failure thrown={found.thrown} onRetry={found.reload} />;
  if (found.value === undefined) return <Skeleton />;
  if (found.value.length === 0) return <Empty title={texts.installation.noHistory} />;
  return <Rows one={one} revisions={found.value} />;
}
