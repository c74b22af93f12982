import type { Installation, PackageRow } from '../../../../server/wire.ts';
import { runCommand } from '../../../lib/api.ts';
import { type Loaded, useLoad } from '../../../lib/load.ts';
import { failureText } from '../../../ui/action.tsx';
import type { Resolution } from '../../../ui/resolution.tsx';
import { type Choice, managedKinds, packageOf } from './choice.ts';

/** Of an installation: the rows of its package, of all catalogs that it may come from. */
export function rowsOf(one: Installation, packages: readonly PackageRow[]): readonly PackageRow[] {
  const { name, catalog } = packageOf(one);
  return packages.filter((row) => {
    if (row.name !== name) return false;
    return catalog === '' ? row.catalogNamespace === '' : `${row.catalogNamespace}/${row.catalog}` === catalog;
  });
}

/** Catalogs of the same kind: what a version requires may come from another one. */
function catalogsOf(one: Installation, packages: readonly PackageRow[]): readonly object[] {
  const isOlm = one.kind === 'Subscription';
  const alike = [...rowsOf(one, packages), ...packages.filter((row) => (row.catalogNamespace !== '') === isOlm)];
  const once = new Map(alike.map((row) => [`${row.catalogNamespace}/${row.catalog}`, row]));
  return [...once.values()].slice(0, 20).map(({ catalog, catalogNamespace }) => ({ catalog, catalogNamespace }));
}

/** What the resolver chooses for a choice: undefined where the installation stays as it is. */
export function useChoicePlan(
  one: Installation,
  choice: Choice,
  packages: readonly PackageRow[],
): Loaded<{ readonly resolution: Resolution; readonly command: string }> {
  const { name } = packageOf(one);
  const kind = managedKinds[one.kind];
  const { version, channel } = choice;
  const isBound = one.version !== '' && kind?.isBound(choice) === true;
  const body = {
    packages: [{ item: version === '' ? name : `${name}@${version}` }],
    channels: channel === '' || channel.includes(',') ? [] : [{ name, channel }],
    catalogs: catalogsOf(one, packages),
    installed: isBound ? [{ name, version: one.version }] : [],
  };
  const isAsked = body.catalogs.length > 0 && kind?.isFollowing(choice) === true;
  return useLoad(isAsked ? JSON.stringify(body) : '', async (signal) => {
    const result = await runCommand('resolve', body, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return { resolution: result.output as Resolution, command: result.command };
  });
}

/** The image of the version that would be installed; empty where it stays, or where there is none. */
export function imageIn(resolution: Resolution | undefined, name: string): string {
  if (resolution?.outcome !== 'resolved') return '';
  const found = resolution.bundles.find((bundle) => bundle.package === name && bundle.action !== 'keep');
  return found?.image ?? '';
}
