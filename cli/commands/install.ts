import { TerminalError } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { applyManifests, withImage } from '../install/apply-manifests.ts';
import { type Overlay, readManifests, shownName } from '../install/manifests.ts';
import { untilInstalled } from '../install/readiness.ts';
import { openKube } from '../kubeconfig.ts';
import type { OptionValues } from '../options.ts';
import { createProgress } from '../progress.ts';

const applyDeadlineMs = 5 * 60_000;

/** `longshore install`: 0 when everything is there and answers. */
export async function install(values: OptionValues): Promise<number> {
  const timeoutMs = (values['timeout'] as number) * 1000;
  if (timeoutMs > 86_400_000) {
    throw new TerminalError('InvalidOption', `--timeout: expected at most 86400, found ${timeoutMs / 1000}`);
  }
  const isDryRun = values['dry-run'] as boolean;
  const image = values['image'] as string | undefined;
  const shipped = (await readManifests(values['overlay'] as Overlay)) as unknown as KubeObject[];
  const objects = image === undefined ? shipped : withImage(shipped, image);
  using kube = await openKube(values);
  await applyManifests(objects, {
    kube,
    isDryRun,
    signal: AbortSignal.timeout(applyDeadlineMs),
    onApplied: (object, outcome) => {
      process.stdout.write(`${shownName(object)} ${outcome}${isDryRun ? ' (dry run)' : ''}\n`);
    },
  });
  if (isDryRun || timeoutMs === 0) return 0;
  using progress = createProgress(process.stderr, { isQuiet: false });
  const missing = await untilInstalled(kube, objects, { progress, timeoutMs });
  if (missing.length === 0) {
    process.stdout.write('Longshore is installed\n');
    return 0;
  }
  process.stderr.write(`longshore: not ready after ${timeoutMs / 1000} s\n${missing.join('\n')}\n`);
  return 1;
}
