import { apiVersion, clusterExtensionResource } from '../../../src/api/index.ts';
import { openKube, parseTarget, type Target } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { createProgress } from '../../output/index.ts';
import { assertUnmanaged } from '../managed.ts';
import type { deleteOptions, timeoutOption } from '../options.ts';
import { whenDeleted } from '../run/wait.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof deleteOptions & typeof timeoutOption>;

function refTo({ kind, name }: Target) {
  return kind === 'ClusterExtension' ? { ...clusterExtensionResource, name } : { apiVersion, kind, name };
}

/** `longshore delete NAME|clusterextension/NAME`: 1 when it is not found, or not deleted in time. */
export async function deleteDeployment(values: Values, [text]: readonly [string]): Promise<number> {
  const ref = refTo(parseTarget(text, ['BundleDeployment', 'ClusterExtension']));
  using kube = await openKube(values);
  using progress = createProgress(process.stderr, { isQuiet: false });
  const object = await kube.get(ref);
  assertUnmanaged(object, 'delete');
  const { uid } = object.metadata;
  const left = await kube.delete(ref, { uid });
  const isWaiting = values.wait;
  if (isWaiting && left !== undefined) await whenDeleted({ kube, timeoutMs: values.timeout, progress }, object);
  progress.clear();
  const group = ref.apiVersion.replace(/\/.*$/, '');
  const title = `${ref.kind.toLowerCase()}.${group} "${ref.name}"`;
  process.stdout.write(`${title} ${isWaiting ? 'deleted' : 'is being deleted'}\n`);
  return 0;
}
