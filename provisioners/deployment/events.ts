import type { Condition, ObjectEvent } from '../../src/kube/index.ts';

/** What of a deployment's status people are told about. */
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

type Teller = (turn: Turn) => ObjectEvent | undefined;

/** What is said of the next try is no part of what happened: it is another one each time. */
function causeOf(message: string): string {
  return message.replace(/ \((?:next try at|not tried again) [^()]*\)$/, '');
}

function warning({ reason, message }: Condition): ObjectEvent {
  return { type: 'Warning', reason, message: causeOf(message) };
}

/** A failure is told with its reason; `Unknown` is one when something went wrong, and none when nothing was tried. */
const tellOfBundle: Teller = ({ after }) =>
  after.status === 'False' || after.reason === 'ReconcileFailed' ? warning(after) : undefined;

const tellOfInstallation: Teller = ({ after, from, to }) => {
  if (after.status === 'Unknown') return undefined;
  if (after.status === 'False') return warning(after);
  if (from === '' || from === to) return { type: 'Normal', reason: after.reason, message: after.message };
  return { type: 'Normal', reason: 'Upgraded', message: `Upgraded from bundle ${from} to bundle ${to}` };
};

/** Objects that are still coming up after an installation are no news; those that were well are. */
const tellOfHealth: Teller = ({ before, after, from, to }) => {
  if (after.status === 'True' && before?.reason === 'Unhealthy') {
    return { type: 'Normal', reason: after.reason, message: after.message };
  }
  const wasWell = before?.status === 'True' && from === to;
  return after.reason === 'Unhealthy' && wasWell ? warning(after) : undefined;
};

const tellOfPause: Teller = ({ before, after }) => {
  if (after.reason === 'CertificatesOverdue') return warning(after);
  if (after.status === 'True') return { type: 'Normal', reason: after.reason, message: after.message };
  if (before?.status !== 'True') return undefined;
  return { type: 'Normal', reason: 'Resumed', message: 'No longer paused' };
};

const tellers: Readonly<Record<string, Teller>> = {
  HasValidBundle: tellOfBundle,
  Installed: tellOfInstallation,
  Healthy: tellOfHealth,
  Paused: tellOfPause,
};

/** Whether another text alone is news: it is for failures, where it is the cause, and not for the counts in a health line. */
function hasTurned({ before, after, from, to }: Turn): boolean {
  if (before?.status !== after.status) return true;
  if (after.type === 'Installed' && after.status === 'True') return from !== to;
  if (after.type === 'Healthy') return before.reason !== after.reason;
  return before.reason !== after.reason || causeOf(before.message) !== causeOf(after.message);
}

/** The Events that a change of status is worth, in the order of the conditions. */
export function newsOf(before: Standing, after: Standing): readonly ObjectEvent[] {
  const facts = { from: before.activeBundle, to: after.activeBundle };
  return after.conditions.flatMap((condition) => {
    const turn = { ...facts, before: before.conditions.find(({ type }) => type === condition.type), after: condition };
    return hasTurned(turn) ? (tellers[condition.type]?.(turn) ?? []) : [];
  });
}
