import { clusterServiceVersionResource, csvCleanupFinalizer, olmFieldManager, olmLabels } from '../../api/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import {
  hasFinalizer,
  isNotFound,
  type KindCache,
  type KubeObject,
  preconditionOf,
  refOf,
  removeFinalizer,
} from '../../kube/index.ts';
import type { CsvRun } from './run.ts';
import { removeServing } from './serving/index.ts';

const recheckMs = 5_000;

/** What owner references cannot delete, because it is in no namespace: found by the owner labels. */
function ownedIn(cache: KindCache, { csv, namespace }: CsvRun): readonly KubeObject[] {
  return cache.labelled(olmLabels.owner, csv.metadata.name).filter(({ metadata }) => {
    const { labels = {} } = metadata;
    return (
      labels[olmLabels.ownerNamespace] === namespace &&
      labels[olmLabels.ownerKind] === clusterServiceVersionResource.kind
    );
  });
}

/** Deletes what belongs to the ClusterServiceVersion alone, and releases it once that does not exist any more. CustomResourceDefinitions and their
 *  objects stay.
 *  @see docs/spec/olm-v0.md#deletion-and-garbage-collection */
export async function cleanUp(run: CsvRun, signal: AbortSignal): Promise<void> {
  const { context, csv, object } = run;
  if (!hasFinalizer(object, csvCleanupFinalizer)) return;
  await removeServing(context.serving, csv, signal);
  const { clusterRoleBindings, clusterRoles } = context.caches;
  const owned = [clusterRoleBindings, clusterRoles].flatMap((cache) => ownedIn(cache, run));
  let isRetained = false;
  for (const one of owned) {
    try {
      // As it was read: the next version of the operator may have taken it over.
      isRetained =
        (await context.kube.delete(refOf(one), { ...preconditionOf(one), signal })) !== undefined || isRetained;
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  }
  if (isRetained) return requeueAfter(run, recheckMs);
  await removeFinalizer(context.kube, object, {
    finalizer: csvCleanupFinalizer,
    fieldManager: olmFieldManager,
    signal,
  });
}

/** Row T40. */
export async function deleteVersion({ context, csv, object }: CsvRun, signal: AbortSignal): Promise<void> {
  const { uid = '' } = csv.metadata;
  try {
    await context.kube.delete(refOf(object), { uid, signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}
