import { type ClusterServiceVersion, olmFieldManager, olmLabels } from '../../api/index.ts';
import { isJsonEqual, type JsonObject, type JsonValue, objectAt } from '../../base/index.ts';
import { isKubeError, type KubeObject } from '../../kube/index.ts';
import { podAnnotations } from '../../operators/index.ts';
import { isForeignHash } from '../own-hash.ts';
import { covers } from '../owned-objects.ts';
import { replaced } from './install.ts';
import type { CsvRun } from './run.ts';

const { deploymentSpecHash } = olmLabels;

function hasPodAnnotations(live: KubeObject, csv: ClusterServiceVersion): boolean {
  const found = objectAt(live as JsonObject, 'spec', 'template', 'metadata', 'annotations') ?? {};
  return Object.entries(podAnnotations(csv)).every(([key, value]) => found[key] === value);
}

function isAdoptable(live: KubeObject | undefined, csv: ClusterServiceVersion): live is KubeObject {
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return false;
  const isOwned = (live.metadata.ownerReferences ?? []).some(({ uid }) => uid === csv.metadata.uid);
  return isOwned && isForeignHash(live.metadata.labels?.[deploymentSpecHash]) && hasPodAnnotations(live, csv);
}

/** Whether the API server would leave the spec as it is: it writes quantities and defaults in its own way. */
async function isSameWhenApplied(
  run: CsvRun,
  { live, desired, signal }: { readonly live: KubeObject; readonly desired: KubeObject; readonly signal: AbortSignal },
): Promise<boolean> {
  if (covers(live['spec'] as JsonValue, desired['spec'] as JsonValue)) return true;
  const options = { fieldManager: olmFieldManager, isDryRun: true, signal };
  try {
    const written = await run.context.kube.update(replaced(live, desired, run), options);
    return isJsonEqual(written['spec'] as JsonValue, live['spec'] as JsonValue);
  } catch (thrown) {
    // The attempt to install reports what is refused.
    if (isKubeError(thrown) && thrown.failure.status >= 400 && thrown.failure.status < 500) return false;
    throw thrown;
  }
}

/** Marks Deployments that another implementation of OLM has applied, and that are as they should be: from then on a hash shows what changes. Nothing
 *  but a label is written, so that no Pod restarts and the phase stays. Those that differ are installed again.
 *  @see docs/spec/olm-v0.md#install-strategy-deployment */
export async function adoptDeployments(
  run: CsvRun,
  desired: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  const { context, csv, namespace } = run;
  for (const deployment of desired) {
    const live = context.caches.deployments.get(deployment.metadata.name ?? '', namespace);
    if (!isAdoptable(live, csv) || !(await isSameWhenApplied(run, { live, desired: deployment, signal }))) continue;
    const hash = deployment.metadata.labels?.[deploymentSpecHash] ?? '';
    const metadata = { ...live.metadata, labels: { ...live.metadata.labels, [deploymentSpecHash]: hash } };
    const marked = await context.kube.update({ ...live, metadata }, { fieldManager: olmFieldManager, signal });
    context.caches.deployments.wrote(marked);
  }
}
