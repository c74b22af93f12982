import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { leaderLease } from '../src/api/index.ts';
import { steadyClock } from '../src/base/index.ts';
import { startLeaderElection } from '../src/controller/index.ts';
import type { KubeClient } from '../src/kube/index.ts';
import { markLeaderPod } from './leader-pod.ts';
import type { OwnProcess } from './own-process.ts';
import type { ControllersConfig } from './process-config.ts';

/** Whether this process may work. Disposing it lets another one lead at once: end all work before. */
export interface Leadership extends AsyncDisposable {
  /** Refuses to write while somebody else may lead. */
  readonly kube: KubeClient;
  /** True when this process leads, false when it was told to stop before. */
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

/** Stands for the Lease when the configuration says so; else leads from the beginning. */
export function openLeadership(own: OwnProcess, config: ControllersConfig): Leadership {
  const {
    leaseMs: durationMs,
    kubeconfigPath,
    podName = kubeconfigPath === undefined ? hostname() : undefined,
  } = config;
  if (durationMs === undefined) return alone(own);
  const { systemNamespace: namespace } = own;
  const identity = `${podName ?? hostname()}_${randomUUID()}`;
  const lease = { namespace, name: leaderLease };
  const election = startLeaderElection({ ...own, lease, identity, durationMs, steady: steadyClock });
  const kube = own.connect(() => election.assertLeading());
  const lead = async (): Promise<boolean> => {
    await election.whenLeading;
    if (podName !== undefined) void markLeaderPod({ ...own, kube, namespace, podName });
    return true;
  };
  return {
    kube,
    whenLeading: Promise.race([lead(), own.whenStopped.then(() => false)]),
    isLeading: () => election.isLeading(),
    whenLost: election.whenLost,
    refusal: () => {
      if (election.isLeading()) return undefined;
      const leader = election.leader() || 'another process';
      return { status: 503, text: `this process stands by: contents and uploads are with ${leader}` };
    },
    [Symbol.asyncDispose]: () => election[Symbol.asyncDispose](),
  };
}
