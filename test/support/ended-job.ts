import { formatTimestamp, type JsonObject } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { eventually } from './eventually.ts';

/** How a Job ends. */
export interface JobEnd {
  readonly result: 'Complete' | 'Failed';
  readonly reason?: string;
  readonly message?: string;
}

/** Ends a Job, as its controller would. The one of a real cluster has begun it by then, and waits for pods that no kubelet runs. */
export async function endJob(
  kube: KubeClient,
  job: { readonly namespace: string; readonly name: string },
  { result, reason = 'Test', message = 'it ended' }: JobEnd,
): Promise<void> {
  const time = formatTimestamp(Date.now());
  const before = result === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const conditions = [before, result].map(
    (type): JsonObject => ({ type, status: 'True', reason, message, lastTransitionTime: time }),
  );
  const counts = result === 'Complete' ? { succeeded: 1, completionTime: time } : { failed: 1 };
  const ref = { apiVersion: 'batch/v1', kind: 'Job', ...job };
  await eventually(async () => {
    const { startTime = time } = ((await kube.get(ref))['status'] ?? {}) as { startTime?: string };
    const status = { startTime, active: null, ready: null, ...counts, conditions };
    await kube.patch(ref, { status }, { fieldManager: 'test', subresource: 'status' });
  });
}
