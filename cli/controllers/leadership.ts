import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Shard } from '../../provisioners/index.ts';
import { leaderLease, shardCountAnnotation } from '../../src/api/index.ts';
import { steadyClock, TransientError } from '../../src/base/index.ts';
import { type LeaderElectionOptions, startLeaderElection } from '../../src/controller/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import type { OwnProcess } from '../runtime/index.ts';
import type { ControllersConfig } from '../settings/index.ts';
import { markLeaderPod } from './leader-pod.ts';
import { followShardPlan, type ShardPlan } from './shard-plan.ts';

/** Whether this process may work. Disposing it lets another one lead at once: end all work before. */
export interface Leadership extends AsyncDisposable {
  /** Refuses to write while another process may be the leader. */
  readonly kube: KubeClient;
  /** True when this process leads, false when it was stopped before. */
  readonly whenLeading: Promise<boolean>;
  isLeading(): boolean;
  /** Resolves when this process must not work any more. */
  readonly whenLost: Promise<void>;
  /** Why contents are not to be had here. */
  readonly refusal: () => { readonly status: number; readonly text: string } | undefined;
}

function alone({ kube }: OwnProcess): Leadership {
  const never = new Promise<void>(() => undefined);
  const whenLeading = Promise.resolve(true);
  const isLeading = (): boolean => true;
  return {
    kube,
    whenLeading,
    isLeading,
    whenLost: never,
    refusal: () => undefined,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** The first shard has the Lease of who has everything: they exclude each other. */
function leaseOf(shard: Shard | undefined): string {
  const follower = followerOf(shard);
  return follower === undefined ? leaderLease : `${leaderLease}-${follower.index}`;
}

/** A shard other than the first, which follows the number of shards of the first one. */
function followerOf(shard: Shard | undefined): Shard | undefined {
  return shard !== undefined && shard.index > 1 ? shard : undefined;
}

/** What the leader of everything, or of the first shard, publishes for the others on its Lease. */
function noteOf(shard: Shard | undefined): LeaderElectionOptions['note'] {
  if (followerOf(shard) !== undefined) return undefined;
  return { annotation: shardCountAnnotation, value: shard === undefined ? undefined : String(shard.count) };
}

const agreed: ShardPlan = {
  whenAgreed: Promise.resolve(),
  whenBroken: new Promise(() => undefined),
  isAgreed: () => true,
};

/** Competes for the Lease with `--leader-elect`; otherwise leads from the start. */
export function openLeadership(own: OwnProcess, config: ControllersConfig): Leadership {
  const {
    leaseMs: durationMs,
    kubeconfigPath,
    podName = kubeconfigPath === undefined ? hostname() : undefined,
  } = config;
  if (durationMs === undefined) return alone(own);
  const { systemNamespace: namespace } = own;
  const identity = `${podName ?? hostname()}_${randomUUID()}`;
  const { shard, shardUrl } = config;
  const lease = { namespace, name: leaseOf(shard) };
  const standing = { ...own, lease, identity, durationMs, steady: steadyClock };
  const election = startLeaderElection({ ...standing, note: noteOf(shard) });
  const follower = followerOf(shard);
  const { count = 1 } = follower ?? {};
  const plan = follower === undefined ? agreed : followShardPlan({ ...standing, namespace, count });
  const isLeading = (): boolean => election.isLeading() && plan.isAgreed();
  const kube = own.connect(() => {
    election.assertLeading();
    if (!plan.isAgreed())
      throw new TransientError('NotLeading', 'the number of shards has changed: this one must not write');
  });
  const lead = async (): Promise<boolean> => {
    await Promise.all([election.whenLeading, plan.whenAgreed]);
    if (podName !== undefined) void markLeaderPod({ ...own, kube, namespace, podName, shard, shardUrl });
    return true;
  };
  return {
    kube,
    whenLeading: Promise.race([lead(), own.whenStopped.then(() => false)]),
    isLeading,
    whenLost: Promise.race([election.whenLost, plan.whenBroken]),
    refusal: () => {
      if (isLeading()) return undefined;
      const leader = election.leader() || 'another process';
      return { status: 503, text: `this process stands by: contents and uploads are with ${leader}` };
    },
    [Symbol.asyncDispose]: () => election[Symbol.asyncDispose](),
  };
}
