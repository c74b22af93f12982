import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Installation } from '../../server/wire.ts';
import { runCommand } from '../lib/api.ts';
import { useLoad } from '../lib/load.ts';
import { setQuery, usePlace } from '../lib/router.ts';
import { useWatch } from '../lib/watches.ts';
import { texts } from '../texts.ts';
import { failureText } from '../ui/action.tsx';
import { CommandLine } from '../ui/parts.tsx';
import { type Resolution, ResolutionView } from '../ui/resolution.tsx';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { usePackages } from './catalog/packages.ts';

interface Asked {
  readonly packages: readonly string[];
  readonly isWithInstalled: boolean;
}

function useResolution({
  packages,
  isWithInstalled,
}: Asked): ReturnType<typeof useLoad<{ resolution: Resolution; command: string }>> {
  const rows = usePackages().value?.rows ?? [];
  const installed = [...useWatch<Installation>('installed').rows.values()];
  const catalogs = [...new Map(rows.map((row) => [`${row.catalogNamespace}/${row.catalog}`, row])).values()];
  const operators = installed.filter(({ kind, version }) => kind === 'Subscription' && version !== '');
  const present = new Map(operators.map(({ source, version }) => [source.split(' ')[0] ?? '', version]));
  const body = {
    packages: packages.map((item) => ({ item })),
    catalogs: catalogs.map(({ catalog, catalogNamespace }) => ({ catalog, catalogNamespace })),
    installed: isWithInstalled ? [...present].map(([name, version]) => ({ name, version })) : [],
  };
  const key = packages.length === 0 || catalogs.length === 0 ? '' : JSON.stringify(body);
  return useLoad(key, async (signal) => {
    const result = await runCommand('resolve', body, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return { resolution: result.output as Resolution, command: result.command };
  });
}

/** What would be installed together, and why. */
export function Resolve(): JSX.Element {
  const { query } = usePlace();
  const asked = query.get('q') ?? '';
  const [text, setText] = useState(asked);
  const isWithInstalled = query.get('installed') !== 'no';
  const packages = asked.split(/\s+/).filter((word) => word !== '');
  const found = useResolution({ packages, isWithInstalled });
  return (
    <div class="stack">
      <h1>{texts.pages.resolve}</h1>
      <p class="muted">{texts.resolve.hint}</p>
      <form
        class="toolbar"
        style={{ alignItems: 'end' }}
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ q: text.trim() });
        }}
      >
        <label class="field grow">
          {texts.resolve.packages}
          <input data-key="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          <span class="hint">{texts.resolve.packagesHint}</span>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isWithInstalled}
            onChange={() => setQuery({ installed: isWithInstalled ? 'no' : '' })}
          />
          {texts.resolve.withInstalled}
        </label>
        <button type="submit" class="button primary">
          {texts.resolve.run}
        </button>
      </form>
      {packages.length === 0 && <Empty icon="network" title={texts.resolve.empty} />}
      {found.isLoading && packages.length > 0 && <Skeleton />}
      {!found.isLoading && found.thrown !== undefined && <Failure thrown={found.thrown} onRetry={found.reload} />}
      {!found.isLoading && found.value !== undefined && packages.length > 0 && (
        <>
          <ResolutionView resolution={found.value.resolution} />
          <CommandLine command={found.value.command} />
        </>
      )}
    </div>
  );
}
