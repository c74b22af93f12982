import type { Check, Finding } from '../../cli/doctor/finding.ts';
import type { JsonObject } from '../../src/base/index.ts';
import type { BareCluster } from './bare-cluster.ts';

const user = { fieldManager: 'test' };

/** What a check of `longshore doctor` reports about objects of one kind; what is not done after a minute is stuck. */
export interface Examined {
  readonly stuckMs: number;
  /** What it finds, as if so much time had gone by. */
  readonly findings: (afterMs?: number) => Promise<readonly Finding[]>;
  /** What it finds about one object, `tide`, with these conditions, which is deleted again. */
  readonly findingsFor: (conditions: readonly JsonObject[], afterMs?: number) => Promise<readonly Finding[]>;
  /** What it finds about an object, `held`, that is deleted and has a finalizer that stays. */
  readonly findingsWhileHeld: (afterMs: number) => Promise<readonly Finding[]>;
}

/** Examines objects of a kind on a cluster. */
export function examined(
  cluster: () => BareCluster,
  check: Check,
  { apiVersion, kind, spec }: { readonly apiVersion: string; readonly kind: string; readonly spec: JsonObject },
): Examined {
  const stuckMs = 60_000;
  const findings = async (afterMs = 0): Promise<readonly Finding[]> => {
    const signal = AbortSignal.timeout(30_000);
    const { kube } = cluster();
    return await check.examine({ kube, systemNamespace: 'default', nowMs: Date.now() + afterMs, stuckMs, signal });
  };
  return {
    stuckMs,
    findings,
    findingsFor: async (conditions, afterMs = 0) => {
      const { kube } = cluster();
      const ref = { apiVersion, kind, name: 'tide' };
      await kube.create({ apiVersion, kind, metadata: { name: 'tide' }, spec }, user);
      await kube.patch(ref, { status: { conditions: [...conditions] } }, { ...user, subresource: 'status' });
      const found = await findings(afterMs);
      await kube.delete(ref);
      return found;
    },
    findingsWhileHeld: async (afterMs) => {
      const { kube } = cluster();
      const metadata = { name: 'held', finalizers: ['example.com/forever'] };
      await kube.create({ apiVersion, kind, metadata, spec }, user);
      await kube.delete({ apiVersion, kind, name: 'held' });
      return await findings(afterMs);
    },
  };
}

/** A condition of an object that is examined. */
export function examinedCondition(
  type: string,
  [status, reason, message]: readonly [string, string, string],
): JsonObject {
  return { type, status, reason, message, observedGeneration: 1, lastTransitionTime: new Date().toISOString() };
}
