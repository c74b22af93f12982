import { shownName } from '../install/manifests.ts';
import { removeInstallation } from '../install/removal.ts';
import { openKube } from '../kubeconfig.ts';
import type { OptionValues } from '../options.ts';
import { createProgress } from '../progress.ts';

/** `longshore uninstall`: 1, and nothing changed, while there is content, unless `--with-content`. */
export async function uninstall(values: OptionValues): Promise<number> {
  using kube = await openKube(values);
  using progress = createProgress(process.stderr, { isQuiet: false });
  let removed = 0;
  const others = await removeInstallation({
    kube,
    progress,
    timeoutMs: (values['timeout'] as number) * 1000,
    isWithContent: values['with-content'] as boolean,
    onRemoved: (object) => {
      progress.clear();
      removed += 1;
      process.stdout.write(`${shownName(object)} deleted\n`);
    },
  });
  if (others.length > 0) {
    process.stdout.write(`namespace/rukpak-system stays: there are also ${others.join(', ')}\n`);
  }
  if (removed === 0) process.stdout.write('nothing of Longshore is there\n');
  return 0;
}
