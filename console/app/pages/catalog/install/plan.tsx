import type { JSX } from 'preact';
import type { Installation, PackageRow } from '../../../../server/wire.ts';
import { runCommand } from '../../../lib/api.ts';
import { type Loaded, useLoad } from '../../../lib/load.ts';
import { texts } from '../../../texts.ts';
import { failureText } from '../../../ui/action.tsx';
import { type Grant, Grants } from '../../../ui/grants.tsx';
import { CommandLine, Panel } from '../../../ui/parts.tsx';
import { type Resolution, ResolutionView } from '../../../ui/resolution.tsx';
import { Failure, Skeleton } from '../../../ui/states.tsx';
import type { Choice } from './choice.ts';

/** What the resolver chose, and the command that asks it. */
export interface FoundPlan {
  readonly resolution: Resolution;
  readonly command: string;
}

interface Asked {
  readonly row: PackageRow;
  readonly choice: Choice;
  /** All packages that the viewer sees: what is required may come from other catalogs. */
  readonly packages: readonly PackageRow[];
  readonly installed: readonly Installation[];
}

function versionsOf(
  installed: readonly Installation[],
): readonly { readonly name: string; readonly version: string }[] {
  const operators = installed.filter(({ kind, version }) => kind === 'Subscription' && version !== '');
  return operators.map(({ source, version }) => ({ name: source.split(' ')[0] ?? '', version }));
}

/** Catalogs of the same kind, the one of the package first. */
function catalogsFor({ row, packages }: Asked): readonly object[] {
  const isAlike = (one: PackageRow): boolean => (one.catalogNamespace === '') === (row.catalogNamespace === '');
  const all = [row, ...packages.filter(isAlike)];
  const once = new Map(all.map((one) => [`${one.catalogNamespace}/${one.catalog}`, one]));
  return [...once.values()].slice(0, 20).map(({ catalog, catalogNamespace }) => ({ catalog, catalogNamespace }));
}

/** What would be installed for a choice: its channel and its version. */
export function usePlan(asked: Asked): Loaded<FoundPlan> {
  const { row, choice, installed } = asked;
  const present = versionsOf(installed).filter(({ name }) => name !== row.name);
  const isPlatform = choice.kind === 'PlatformOperator';
  const body = {
    packages: [{ item: choice.version === '' || isPlatform ? row.name : `${row.name}@${choice.version}` }],
    channels: isPlatform ? [] : [{ name: row.name, channel: choice.channel }],
    catalogs: catalogsFor(asked),
    installed: [...new Map(present.map((one) => [one.name, one])).values()],
  };
  return useLoad(JSON.stringify(body), async (signal) => {
    const result = await runCommand('resolve', body, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return { resolution: result.output as Resolution, command: result.command };
  });
}

function Permissions({ image }: { readonly image: string }): JSX.Element | null {
  const needs = useLoad(image, async (signal) => {
    const result = await runCommand('needs', { image }, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return (result.output as { grants: readonly Grant[] }).grants;
  });
  if (needs.value === undefined) return null;
  return (
    <Panel title={texts.install.permissions}>
      <Grants grants={needs.value} />
    </Panel>
  );
}

/** The plan of the resolver, and the permissions of the package. */
export function Plan({ row, plan }: { readonly row: PackageRow; readonly plan: Loaded<FoundPlan> }): JSX.Element {
  if (plan.isLoading) return <Skeleton />;
  if (plan.thrown !== undefined) return <Failure thrown={plan.thrown} onRetry={plan.reload} />;
  if (plan.value === undefined) return <Skeleton />;
  const { resolution, command } = plan.value;
  const image =
    resolution.outcome === 'resolved' ? resolution.bundles.find((bundle) => bundle.package === row.name)?.image : '';
  return (
    <div class="stack">
      <ResolutionView resolution={resolution} />
      <Permissions image={image ?? ''} />
      <CommandLine command={command} />
    </div>
  );
}
