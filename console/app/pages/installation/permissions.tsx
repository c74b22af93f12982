import type { JSX } from 'preact';
import type { Installation } from '../../../server/wire.ts';
import { runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { texts } from '../../texts.ts';
import { failureText } from '../../ui/action.tsx';
import { type Grant, Grants } from '../../ui/grants.tsx';
import { CommandLine, Notice, Panel } from '../../ui/parts.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';

interface Needed {
  readonly grants: readonly Grant[];
  readonly missing?: readonly string[];
}

/** What the installation takes, and what its account lacks. */
export function Permissions({ one }: { readonly one: Installation }): JSX.Element {
  const found = useLoad(`${one.uid} ${one.version}`, async (signal) => {
    const result = await runCommand('permissions', { kind: one.kind, name: one.name }, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return { needed: result.output as Needed, command: result.command };
  });
  if (found.thrown !== undefined) return <Failure thrown={found.thrown} onRetry={found.reload} />;
  if (found.value === undefined) return <Skeleton />;
  const { needed, command } = found.value;
  return (
    <div class="stack">
      <p class="muted">{texts.installation.permissionsHint}</p>
      {needed.missing !== undefined && needed.missing.length > 0 && (
        <Notice tone="danger" title={texts.installation.lacking}>
          <ul class="todo">
            {needed.missing.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Notice>
      )}
      {needed.missing?.length === 0 && <Notice tone="info" title={texts.installation.allPermitted} />}
      <Panel>
        <Grants grants={needed.grants} />
      </Panel>
      <CommandLine command={command} />
    </div>
  );
}
