import type { Condition, ObjectEvent } from '../../src/kube/index.ts';

/** The part of a deployment's status that Events report. */
export interface Standing {
  readonly conditions: readonly Condition[];
  /** Name of the Bundle that is installed; empty before the first. */
  readonly activeBundle: string;
}

interface Turn {
  readonly before: Condition | undefined;
  readonly after: Condition;
  readonly from: string;
  readonly to: string;
}

type EventOf = (turn: Turn) => ObjectEvent | undefined;

/** The time of the next try is no part of the cause: it differs each time. */
function causeOf(message: string): string {
  return message.replace(/ \((?:next try at|not tried again) [^()]*\)$/, '');
}

function warning({ reason, message }: Condition): ObjectEvent {
  return { type: 'Warning', reason, message: causeOf(message) };
}

/** A failure is reported with its reason; `Unknown` is one when something went wrong, and none when nothing was tried. */
const bundleEvent: EventOf = ({ after }) =>
  after.status === 'False' || after.reason === 'ReconcileFailed' ? warning(after) : undefined;

const installationEvent: EventOf = ({ after, from, to }) => {
  if (after.status === 'Unknown') return undefined;
  if (after.status === 'False') return warning(after);
  if (from === '' || from === to) return { type: 'Normal', reason: after.reason, message: after.message };
  return { type: 'Normal', reason: 'Upgraded', message: `Upgraded from bundle ${from} to bundle ${to}` };
};

/** Objects that are not ready yet after an installation are not reported; objects that were healthy are. */
const healthEvent: EventOf = ({ before, after, from, to }) => {
  if (after.status === 'True' && before?.reason === 'Unhealthy') {
    return { type: 'Normal', reason: after.reason, message: after.message };
  }
  const wasWell = before?.status === 'True' && from === to;
  return after.reason === 'Unhealthy' && wasWell ? warning(after) : undefined;
};

const pauseEvent: EventOf = ({ before, after }) => {
  if (after.reason === 'CertificatesOverdue') return warning(after);
  if (after.status === 'True') return { type: 'Normal', reason: after.reason, message: after.message };
  if (before?.status !== 'True') return undefined;
  return { type: 'Normal', reason: 'Resumed', message: 'No longer paused' };
};

const eventRules: Readonly<Record<string, EventOf>> = {
  HasValidBundle: bundleEvent,
  Installed: installationEvent,
  Healthy: healthEvent,
  Paused: pauseEvent,
};

/** Whether another text alone is reported: for failures, where it is the cause, and not for the counts in a health line. */
function hasTurned({ before, after, from, to }: Turn): boolean {
  if (before?.status !== after.status) return true;
  if (after.type === 'Installed' && after.status === 'True') return from !== to;
  if (after.type === 'Healthy') return before.reason !== after.reason;
  return before.reason !== after.reason || causeOf(before.message) !== causeOf(after.message);
}

/** The Events that a change of status is worth, in the order of the conditions. */
export function transitionEvents(before: Standing, after: Standing): readonly ObjectEvent[] {
  const facts = { from: before.activeBundle, to: after.activeBundle };
  return after.conditions.flatMap((condition) => {
    const turn = { ...facts, before: before.conditions.find(({ type }) => type === condition.type), after: condition };
    return hasTurned(turn) ? (eventRules[condition.type]?.(turn) ?? []) : [];
  });
}
