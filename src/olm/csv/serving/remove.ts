import { type ClusterServiceVersion, olmLabels } from '../../../api/index.ts';
import { WaitingError } from '../../../base/index.ts';
import { describeRef, type KindCache, type KubeObject, refOf } from '../../../kube/index.ts';
import type { ServingContext } from './context.ts';
import { endConversion } from './conversions.ts';
import { serviceNameOf, webhooksOf } from './descriptions.ts';
import { deleteObject } from './ensure-webhook.ts';
import { isDelegationBinding } from './objects.ts';
import { isLabelledFor } from './ownership.ts';
import { allConfigurationsOf } from './webhooks.ts';

const retryMs = 1_000;

function labelledFor(cache: KindCache, csv: ClusterServiceVersion): readonly KubeObject[] {
  return cache.labelled(olmLabels.owner, csv.metadata.name).filter((object) => isLabelledFor(object, csv));
}

/** What outside of the namespace was made for `csv`, and was not taken over by its successor. */
function outsideObjects({ caches }: ServingContext, csv: ClusterServiceVersion): readonly KubeObject[] {
  const bindings = [...labelledFor(caches.clusterRoleBindings, csv), ...labelledFor(caches.roleBindings, csv)];
  return [
    ...allConfigurationsOf(caches.validatingWebhooks, csv),
    ...allConfigurationsOf(caches.mutatingWebhooks, csv),
    ...labelledFor(caches.apiServices, csv),
    ...bindings.filter(isDelegationBinding),
  ];
}

/** Deletes what owner references do not: APIServices, webhook configurations, bindings outside of the namespace; conversions end. For the finalizer.
 *  @throws WaitingError while one of them is retained by its own finalizers */
export async function removeServing(
  context: ServingContext,
  csv: ClusterServiceVersion,
  signal?: AbortSignal,
): Promise<void> {
  for (const description of webhooksOf(csv)) {
    const service = serviceNameOf(description.deploymentName ?? '');
    if (description.type === 'ConversionWebhook') await endConversion(context, csv, { description, service, signal });
  }
  const retained: KubeObject[] = [];
  for (const object of outsideObjects(context, csv)) {
    const left = await deleteObject(context, object, signal);
    if (left !== undefined && (left.metadata.finalizers ?? []).length > 0) retained.push(left);
  }
  const [first] = retained;
  if (first === undefined) return;
  throw new WaitingError('WaitingOnCleanup', `${describeRef(refOf(first))} is not deleted yet`, { afterMs: retryMs });
}
