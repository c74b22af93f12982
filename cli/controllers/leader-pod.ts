import type { Shard } from '../../provisioners/index.ts';
import { leaderLabel, shardLabel, shardUrlAnnotation } from '../../src/api/index.ts';
import { type Clock, errorMessage, type Logger } from '../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../src/kube/index.ts';

const retryMs = 5_000;

interface Marking {
  readonly kube: KubeClient;
  readonly namespace: string;
  readonly podName: string;
  readonly shard: Shard | undefined;
  /** Where the other shards reach this process; undefined: at the address of its pod. */
  readonly shardUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Whether another Pod labelled as the leader replaces this one. */
function isInPlaceOf(shard: Shard | undefined, { metadata }: KubeObject): boolean {
  const text = metadata.labels?.[shardLabel];
  if (shard === undefined || text === undefined) return true;
  const index = Number(text);
  return index === shard.index || index > shard.count;
}

async function mark({ kube, namespace, podName, signal, shard, shardUrl }: Marking): Promise<void> {
  const pods = { apiVersion: 'v1', kind: 'Pod', namespace };
  const label = async (name: string, isLeader: boolean): Promise<void> => {
    const index = isLeader && shard !== undefined ? String(shard.index) : null;
    const labels = { [leaderLabel]: isLeader ? 'true' : null, [shardLabel]: index };
    const annotations = { [shardUrlAnnotation]: index === null ? null : (shardUrl ?? null) };
    await kube.patch(
      { ...pods, name },
      { metadata: { labels, annotations } },
      { fieldManager: 'longshore-leader', signal },
    );
  };
  await label(podName, true);
  const { items } = await kube.list({ ...pods, labelSelector: `${leaderLabel}=true` }, { signal });
  for (const pod of items) {
    const { name = '' } = pod.metadata;
    if (name !== podName && isInPlaceOf(shard, pod)) await label(name, false);
  }
}

/** Labels this pod, and no other one of its shard, as the leader, so that the Service of contents leads here; tries until it is done. */
export async function markLeaderPod(marking: Marking): Promise<void> {
  const { podName: pod, clock, log, signal } = marking;
  let reported = '';
  while (!signal.aborted) {
    try {
      return await mark(marking);
    } catch (thrown) {
      if (signal.aborted) return;
      const message = errorMessage(thrown);
      const advice = isNotFound(thrown) ? 'name the pod of this process with --pod-name' : undefined;
      if (message !== reported)
        log.error({ pod, message, advice }, 'contents are not found here: pod not labelled as the leader');
      reported = message;
    }
    await clock.sleep(retryMs, { signal }).catch(() => undefined);
  }
}
