import { leaderLabel } from '../src/api/index.ts';
import { type Clock, errorMessage, type Logger } from '../src/base/index.ts';
import { isNotFound, type KubeClient } from '../src/kube/index.ts';

const retryMs = 5_000;

interface Marking {
  readonly kube: KubeClient;
  readonly namespace: string;
  readonly podName: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

async function mark({ kube, namespace, podName, signal }: Marking): Promise<void> {
  const pods = { apiVersion: 'v1', kind: 'Pod', namespace };
  const label = async (name: string, value: string | null): Promise<void> => {
    const patch = { metadata: { labels: { [leaderLabel]: value } } };
    await kube.patch({ ...pods, name }, patch, { fieldManager: 'longshore-leader', signal });
  };
  await label(podName, 'true');
  const { items } = await kube.list({ ...pods, labelSelector: `${leaderLabel}=true` }, { signal });
  for (const { metadata } of items) if (metadata.name !== podName) await label(metadata.name ?? '', null);
}

/** Labels this pod, and no other one, as the leader, so that the Service of contents leads here; tries until it is done. */
export async function markLeaderPod(marking: Marking): Promise<void> {
  const { podName: pod, clock, log, signal } = marking;
  let said = '';
  while (!signal.aborted) {
    try {
      return await mark(marking);
    } catch (thrown) {
      if (signal.aborted) return;
      const message = errorMessage(thrown);
      const advice = isNotFound(thrown) ? 'name the pod of this process with --pod-name' : undefined;
      if (message !== said)
        log.error({ pod, message, advice }, 'contents are not found here: pod not labelled as the leader');
      said = message;
    }
    await clock.sleep(retryMs, { signal }).catch(() => undefined);
  }
}
