import { apiVersion } from '../../../src/api/index.ts';
import { openKube, parseTarget } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { createProgress } from '../../output/index.ts';
import type { deleteOptions, timeoutOption } from '../options.ts';
import { whenDeleted } from '../run/wait.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof deleteOptions & typeof timeoutOption>;

/** `longshore delete NAME`: 1 when it is not found, or not deleted in time. */
export async function deleteDeployment(values: Values, [text]: readonly [string]): Promise<number> {
  const ref = { apiVersion, ...parseTarget(text, ['BundleDeployment']) };
  using kube = await openKube(values);
  using progress = createProgress(process.stderr, { isQuiet: false });
  const deployment = await kube.get(ref);
  const { uid } = deployment.metadata;
  const left = await kube.delete(ref, { uid });
  const isWaiting = values.wait;
  if (isWaiting && left !== undefined) {
    await whenDeleted({ kube, timeoutMs: values.timeout, progress }, deployment);
  }
  progress.clear();
  process.stdout.write(`bundledeployment.core.rukpak.io "${ref.name}" ${isWaiting ? 'deleted' : 'is being deleted'}\n`);
  return 0;
}
