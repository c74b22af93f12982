import { isJsonObject, type JsonObject } from '../../../src/base/index.ts';
import type { DeletionOptions } from '../../registry/deletion.ts';
import type { KubeObject } from '../../registry/kube-object.ts';
import { matchesLabelSelector } from '../../selectors/index.ts';
import type { ResourceCall } from '../api-parts.ts';
import type { Reply } from '../exchange.ts';
import { encodeValue } from '../object-output.ts';
import { outputForm, readObject } from '../read-handlers.ts';
import { badRequest, StatusError } from '../status-error.ts';
import { targetOf } from '../write-handlers.ts';
import { readWriteOptions } from '../write-options.ts';
import { readPosted } from './posted-body.ts';

const success: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

function statusOf(object: KubeObject): JsonObject {
  return isJsonObject(object['status']) ? object['status'] : {};
}

/** The budget that forbids to evict a pod just now. */
function blockingBudget(call: ResourceCall, pod: KubeObject): KubeObject | undefined {
  const phase = statusOf(pod)['phase'];
  const isLeaving = pod.metadata.deletionTimestamp !== undefined;
  if (isLeaving || phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending') return undefined;
  const budgets = call.parts.store.list('poddisruptionbudgets.policy', call.request.namespace);
  return budgets
    .map((entry) => entry.object)
    .filter((budget) => {
      const spec = isJsonObject(budget['spec']) ? budget['spec'] : {};
      return matchesLabelSelector(spec['selector'], pod.metadata.labels);
    })
    .find((budget) => Number(statusOf(budget)['disruptionsAllowed'] ?? 0) <= 0);
}

function disruptionRefused(budget: KubeObject): StatusError {
  const { desiredHealthy = 0, currentHealthy = 0 } = statusOf(budget) as Record<string, number>;
  const what = `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const message = `The disruption budget ${budget.metadata.name} ${what}`;
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }] },
  });
}

function deletionOf(options: JsonObject): DeletionOptions {
  const { gracePeriodSeconds, propagationPolicy, preconditions } = options as {
    gracePeriodSeconds?: number;
    propagationPolicy?: string;
    preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  };
  return { gracePeriodSeconds, propagationPolicy, ...preconditions };
}

/** `policy/v1 Eviction`: deletes the pod unless a disruption budget forbids it. */
export async function evictPod(call: ResourceCall): Promise<Reply> {
  const { context, validation } = readWriteOptions(call, 'CreateOptions');
  const eviction = await readPosted(call, { group: 'policy', version: 'v1', kind: 'Eviction' }, validation);
  const { name = '' } = eviction.metadata;
  if (name !== '' && name !== call.request.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const pod = readObject(call);
  const budget = blockingBudget(call, pod);
  if (budget !== undefined) throw disruptionRefused(budget);
  const options = isJsonObject(eviction['deleteOptions']) ? eviction['deleteOptions'] : {};
  const dryRun = context.dryRun || Array.isArray(options['dryRun']);
  const target = { ...targetOf(call), subresource: undefined };
  await call.parts.writer.delete(target, deletionOf(options), { ...context, dryRun });
  return encodeValue(201, success, outputForm(call, false));
}
