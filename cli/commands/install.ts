import { parseImageReference } from '../../src/api/index.ts';
import { errorMessage, TerminalError } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type ApplyManifestsOptions, applyManifests, withImage } from '../install/apply-manifests.ts';
import { chooseOverlay, findInstalled, type Installed } from '../install/installed.ts';
import { removeLeftovers } from '../install/leftovers.ts';
import { type Overlay, readManifests, shownName } from '../install/manifests.ts';
import { leaveOthersKinds } from '../install/others-kinds.ts';
import { untilInstalled } from '../install/readiness.ts';
import { openKube } from '../kubeconfig.ts';
import type { OptionValues } from '../options.ts';
import { createProgress } from '../progress.ts';

const applyDeadlineMs = 5 * 60_000;

function assertImage(text: string): void {
  try {
    parseImageReference(text);
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `--image: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

/** The objects to apply. What was not asked for stays as it is installed, and is told. */
async function readWanted(values: OptionValues, installed: Installed | undefined): Promise<readonly KubeObject[]> {
  const [wantedOverlay, wantedImage] = [
    values['overlay'] as Overlay | undefined,
    values['image'] as string | undefined,
  ];
  const overlay = chooseOverlay(wantedOverlay, installed);
  if (wantedImage !== undefined) assertImage(wantedImage);
  const image = wantedImage ?? installed?.image;
  const kept = [
    ...(wantedOverlay === undefined && installed !== undefined ? [`overlay ${overlay}`] : []),
    ...(wantedImage === undefined && image !== undefined ? [`image ${image}`] : []),
  ];
  if (kept.length > 0) process.stdout.write(`as installed: ${kept.join(', ')}\n`);
  const shipped = (await readManifests(overlay)) as unknown as KubeObject[];
  return image === undefined ? shipped : withImage(shipped, image);
}

/** `longshore install`: 0 when everything is there and answers. */
export async function install(values: OptionValues): Promise<number> {
  const timeoutMs = (values['timeout'] as number) * 1000;
  if (timeoutMs > 86_400_000) {
    throw new TerminalError('InvalidOption', `--timeout: expected at most 86400, found ${timeoutMs / 1000}`);
  }
  const isDryRun = values['dry-run'] as boolean;
  using kube = await openKube(values);
  const signal = AbortSignal.timeout(applyDeadlineMs);
  const wanted = await readWanted(values, await findInstalled(kube, signal));
  const objects = await leaveOthersKinds(wanted, {
    kube,
    signal,
    onLeft: (crd) => process.stdout.write(`${shownName(crd)} left: another program has brought it\n`),
  });
  const options: ApplyManifestsOptions = {
    kube,
    isDryRun,
    signal,
    onApplied: (object, outcome) => {
      process.stdout.write(`${shownName(object)} ${outcome}${isDryRun ? ' (dry run)' : ''}\n`);
    },
  };
  await applyManifests(objects, options);
  await removeLeftovers(objects, options);
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
