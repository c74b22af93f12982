import { objectsIn, statusOf } from '../controllers/index.ts';
import type { KubeObject } from '../core/index.ts';

/** Which pods have been ready for long enough. */
export interface Availability {
  readonly available: number;
  /** When the next pod may become available without anything happening to it. */
  readonly againInMs: number | undefined;
}

function readySince(pod: KubeObject): number | undefined {
  const ready = objectsIn(statusOf(pod)['conditions']).find(({ type }) => type === 'Ready');
  if (ready?.['status'] !== 'True') return undefined;
  const since = ready['lastTransitionTime'];
  return typeof since === 'string' ? Date.parse(since) : Number.NaN;
}

/** Counts the pods that have been ready for more than `minReadySeconds`; for 0, all that are ready. */
export function availabilityOf(pods: readonly KubeObject[], minReadySeconds: number, nowMs: number): Availability {
  const times = pods.map(readySince).filter((since) => since !== undefined);
  if (minReadySeconds === 0) return { available: times.length, againInMs: undefined };
  const waits = times.map((since) => since + minReadySeconds * 1000 - nowMs).filter((wait) => !Number.isNaN(wait));
  const open = waits.filter((wait) => wait >= 0);
  return {
    available: waits.length - open.length,
    againInMs: open.length === 0 ? undefined : Math.min(...open) + 1,
  };
}
