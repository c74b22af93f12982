import type { KubeObject } from '../../../src/kube/index.ts';
import { openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { confirm, createProgress } from '../../output/index.ts';
import type { DeletionOptions } from '../deletion.ts';
import { shownName } from '../manifests.ts';
import type { uninstallOptions } from '../options.ts';
import { removeInstallation } from '../removal.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof uninstallOptions>;

const askedNames = 10;

type Removal = DeletionOptions & { readonly isWithContent: boolean; readonly isWithOperators: boolean };

/** What would be deleted, found without deleting it. */
async function plannedRemoval(removal: Removal): Promise<readonly KubeObject[]> {
  const planned: KubeObject[] = [];
  await removeInstallation({ ...removal, isDryRun: true, onRemoved: (object) => planned.push(object) });
  return planned;
}

/** @throws TerminalError NotConfirmed */
async function confirmRemoval(planned: readonly KubeObject[]): Promise<void> {
  const names = planned.slice(0, askedNames).map((object) => `  ${shownName(object)}\n`);
  const more = planned.length > askedNames ? `  and ${planned.length - askedNames} more\n` : '';
  const what = `${planned.length} ${planned.length === 1 ? 'object' : 'objects'}`;
  await confirm({
    about: `This deletes ${what}:\n${names.join('')}${more}`,
    text: 'Delete them?',
    unasked: `uninstall would delete ${what}, and there is no terminal to ask on: confirm with --yes, or list them with --dry-run. Nothing was changed`,
  });
}

/** `longshore uninstall`: 1, and nothing changed, while there is content, unless `--with-content`, and without confirmation. */
export async function uninstall(values: Values): Promise<number> {
  const isDryRun = values['dry-run'];
  using kube = await openKube(values);
  using progress = createProgress(process.stderr, { isQuiet: false });
  let removed = 0;
  const removal: Removal = {
    kube,
    isDryRun,
    progress,
    timeoutMs: values.timeout,
    isWithContent: values['with-content'],
    isWithOperators: values['with-operators'],
    onRemoved: (object) => {
      progress.clear();
      removed += 1;
      process.stdout.write(`${shownName(object)} deleted${isDryRun ? ' (dry run)' : ''}\n`);
    },
  };
  if (!isDryRun && !values.yes) {
    const planned = await plannedRemoval(removal);
    if (planned.length > 0) await confirmRemoval(planned);
  }
  const { others, kinds } = await removeInstallation(removal);
  for (const line of kinds) process.stdout.write(`${line}\n`);
  if (others.length > 0) {
    process.stdout.write(`namespace/rukpak-system stays: there are also ${others.join(', ')}\n`);
  }
  if (removed === 0) process.stdout.write('Longshore is not installed\n');
  else if (!isDryRun) process.stdout.write('Longshore is uninstalled\n');
  return 0;
}
