import { parseGoDuration } from '../../base/index.ts';

/** Since when operators are waited for, and how long that may take. */
export interface OperatorWaits {
  /** Undefined for an operator that is not waited for. */
  sinceMs(name: string): number | undefined;
  /** After which an operator counts as slow. */
  expectedMs(name: string): number;
}

const minuteMs = 60_000;

/** The annotation of a ClusterOperator's manifest that states how long its update usually takes, as a duration of Go. */
export const expectedDurationAnnotation = 'release.openshift.io/expected-duration';

/** How long an operator's update usually takes.
 *  @see docs/spec/cluster-version.md#slow-operators */
export function expectedDurationMs(name: string, annotation: string): number {
  const usual = (name === 'machine-config' ? 90 : 30) * minuteMs;
  const nanos = annotation === '' ? undefined : parseGoDuration(annotation);
  return nanos === undefined || nanos <= 0n ? usual : Number(nanos / 1_000_000n);
}
