import { apiVersion } from '../../../src/api/index.ts';
import { isJsonEqual, type JsonObject } from '../../../src/base/index.ts';
import { type Revision, revisionsOf } from '../../../src/installations/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import { openKube, parseTarget } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { createProgress } from '../../output/index.ts';
import { assertUnmanaged } from '../managed.ts';
import type { rollbackOptions, timeoutOption } from '../options.ts';
import { chooseRevision, specOfRevision } from '../rollback.ts';
import { rollbackExtension } from '../rollback-extension.ts';
import { patchSpec, replacing } from '../run/apply.ts';
import { whenInstalled } from '../run/wait.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof rollbackOptions & typeof timeoutOption>;

async function hasBundle(kube: KubeClient, deployment: KubeObject, { bundle }: Revision): Promise<boolean> {
  try {
    const { metadata } = await kube.get({ apiVersion, kind: 'Bundle', name: bundle });
    const isOwned = metadata.ownerReferences?.some(({ uid }) => uid === deployment.metadata.uid) === true;
    return isOwned && metadata.deletionTimestamp === undefined;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

function specOf(deployment: KubeObject): JsonObject {
  return (deployment['spec'] ?? {}) as JsonObject;
}

async function wait(kube: KubeClient, values: Values, deployment: KubeObject): Promise<void> {
  using progress = createProgress(process.stderr, { isQuiet: false });
  await whenInstalled({ kube, timeoutMs: values.timeout, progress }, deployment);
}

/** `longshore rollback NAME`: 1 when there is no such revision, or it is not installed in time. */
export async function rollback(values: Values, [text]: readonly [string]): Promise<number> {
  const target = parseTarget(text, ['BundleDeployment', 'ClusterExtension']);
  using kube = await openKube(values);
  if (target.kind === 'ClusterExtension') return await rollbackExtension(kube, values, target.name);
  const deployment = await kube.get({ apiVersion, ...target });
  assertUnmanaged(deployment, 'rollback');
  const revisions = revisionsOf(deployment);
  const isInstalled = isJsonEqual(revisions.at(-1)?.spec ?? null, specOf(deployment));
  const revision = chooseRevision(revisions, {
    number: values.to,
    isInstalled,
    title: `bundledeployment "${target.name}"`,
  });
  const desired = specOfRevision(revision, { hasBundle: await hasBundle(kube, deployment, revision) });
  const written = await patchSpec(kube, deployment, replacing(specOf(deployment), desired));
  const title = `bundledeployment.core.rukpak.io "${target.name}"`;
  if (values.wait) await wait(kube, values, written);
  const what = values.wait ? 'rolled back' : 'is being rolled back';
  process.stdout.write(`${title} ${what} to revision ${revision.revision} (version ${revision.version})\n`);
  return 0;
}
