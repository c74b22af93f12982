import type { UpdateFailure } from '../failures/update-failure.ts';
import type { OperatorWaits } from './timing.ts';

/** What is waited for, in the words of the conditions. */
export interface Waiting {
  readonly reason: string;
  readonly message: string;
  /** Whether it takes longer than expected. */
  readonly isSlow: boolean;
  /** Whether it has lasted so long that it is a failure. */
  readonly isExceeded: boolean;
}

const minuteMs = 60_000;
const degradedMinutes = 40;
/** Of operators that state no other duration. */
const usualMinutes = 30;

interface Limit {
  readonly ms: number;
  readonly nowMs: number;
  /** What counts for an operator whose wait was not noted. */
  readonly isUnknownLonger: boolean;
}

function lastsLonger(sinceMs: number | undefined, { ms, nowMs, isUnknownLonger }: Limit): boolean {
  return sinceMs === undefined ? isUnknownLonger : nowMs - sinceMs > ms;
}

/** `a, b over 30 minutes and machine-config over 90 minutes`. */
function slowText(names: readonly string[], waits: OperatorWaits): string {
  const byMinutes = new Map<number, string[]>();
  for (const name of names) {
    const minutes = Math.round(waits.expectedMs(name) / minuteMs);
    byMinutes.set(minutes, [...(byMinutes.get(minutes) ?? []), name]);
  }
  const groups = [...byMinutes].toSorted(([a], [b]) => (a === usualMinutes ? -1 : b === usualMinutes ? 1 : a - b));
  const parts = groups.map(([minutes, group]) => `${group.join(', ')} over ${minutes} minutes`);
  return `waiting on ${parts.join(' and ')} which is longer than expected`;
}

/** What a failure that is none yet waits for; undefined when it is one.
 *  @see docs/spec/cluster-version.md#from-failure-to-conditions */
export function waitingFor(failure: UpdateFailure, waits: OperatorWaits, nowMs: number): Waiting | undefined {
  const { effect, names, reason } = failure;
  if (effect === 'None') {
    const slow = names.filter((name) =>
      lastsLonger(waits.sinceMs(name), { ms: waits.expectedMs(name), nowMs, isUnknownLonger: false }),
    );
    const message = slow.length === 0 ? `waiting on ${names.join(', ')}` : slowText(slow, waits);
    return { reason, message, isSlow: slow.length > 0, isExceeded: false };
  }
  if (effect !== 'FailAfterInterval') return undefined;
  const exceeded = names.filter((name) =>
    lastsLonger(waits.sinceMs(name), { ms: degradedMinutes * minuteMs, nowMs, isUnknownLonger: true }),
  );
  if (exceeded.length > 0) {
    const message = `wait has exceeded ${degradedMinutes} minutes for these operators: ${exceeded.join(', ')}`;
    return { reason, message, isSlow: false, isExceeded: true };
  }
  const message = `waiting up to ${degradedMinutes} minutes on ${names.join(', ')}`;
  return { reason, message, isSlow: false, isExceeded: false };
}
