import { leaderLease, shardCountAnnotation } from '../../src/api/index.ts';
import { type Clock, errorMessage, type Logger, withDeadline } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';

/** Of the duration of a lease: how often is looked, and how long a look is good for. */
const lookShare = 1 / 6;
const goodShare = 2 / 3;

export interface ShardPlanOptions {
  readonly kube: Pick<KubeClient, 'get'>;
  readonly namespace: string;
  /** So many shards this process counts on. */
  readonly count: number;
  /** Of the leases. */
  readonly durationMs: number;
  readonly steady: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Whether all processes have the same number of shards: the leader of the first shard annotates its Lease with it. */
export interface ShardPlan {
  readonly whenAgreed: Promise<void>;
  /** Resolves when agreement is lost. */
  readonly whenBroken: Promise<void>;
  isAgreed(): boolean;
}

/** Follows the plan until the signal fires. A process that cannot read it loses agreement after two thirds of the lease duration. */
export function followShardPlan(options: ShardPlanOptions): ShardPlan {
  const { kube, namespace, count, durationMs, steady, log, signal } = options;
  const agreed = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<void>();
  const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name: leaderLease };
  let goodUntilMs = Number.NEGATIVE_INFINITY;
  let reported = '';
  const report = (message: string): void => {
    if (message !== reported && message !== '') log.warn({ message }, 'this shard may not work');
    reported = message;
  };
  const look = async (): Promise<void> => {
    const startedMs = steady.now();
    try {
      const deadline = { deadlineMs: Math.ceil(durationMs * lookShare), signal };
      const { metadata } = await withDeadline(`Lease ${namespace}/${leaderLease}`, deadline, (until) =>
        kube.get(ref, { signal: until }),
      );
      const found = metadata.annotations?.[shardCountAnnotation] ?? 'no';
      const isSame = found === String(count);
      goodUntilMs = isSame ? startedMs + durationMs * goodShare : Number.NEGATIVE_INFINITY;
      report(
        isSame ? '' : `the first shard counts on ${found} shards, this one on ${count}: give all the same --shard K/N`,
      );
    } catch (thrown) {
      if (!signal.aborted) report(errorMessage(thrown));
    }
  };
  const run = async (): Promise<void> => {
    for (let hasAgreed = false; !signal.aborted; ) {
      await look();
      const isGood = steady.now() < goodUntilMs;
      if (isGood) agreed.resolve();
      if (hasAgreed && !isGood) return broken.resolve();
      hasAgreed = isGood;
      await steady.sleep(durationMs * lookShare, { signal }).catch(() => undefined);
    }
  };
  void run();
  return {
    whenAgreed: agreed.promise,
    whenBroken: broken.promise,
    isAgreed: () => steady.now() < goodUntilMs,
  };
}
