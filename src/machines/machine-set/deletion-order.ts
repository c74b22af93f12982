import { type Machine, machineAnnotations } from '../../api/index.ts';

/** Which machines a set deletes first; empty is Random. */
export type DeletePolicy = 'Random' | 'Newest' | 'Oldest';

/** A hundred days: after some of these, age hardly counts any more. */
const ageScaleSeconds = 8_640_000;
const most = 100;

function isMarked({ metadata }: Machine): boolean {
  const { deleteMachine, oldDeleteMachine } = machineAnnotations;
  return [deleteMachine, oldDeleteMachine].some((key) => (metadata.annotations?.[key] ?? '') !== '');
}

function hasFailed({ status }: Machine): boolean {
  return status?.errorReason !== undefined || status?.errorMessage !== undefined;
}

/** From 0 for a new machine to 50 for an old one. */
function ageScore({ metadata }: Machine, nowMs: number): number {
  const seconds = (nowMs - Date.parse(metadata.creationTimestamp ?? '')) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? 50 * (1 - Math.exp(-seconds / ageScaleSeconds)) : 0;
}

/** How much a machine is to be deleted, from 0 to 100.
 *  @see docs/spec/machine-lifecycle.md#7-machine-sets-and-health-checks-short */
export function deletionScore(machine: Machine, policy: DeletePolicy, nowMs: number): number {
  if (machine.metadata.deletionTimestamp !== undefined) return most;
  const isFirst = isMarked(machine) || hasFailed(machine);
  if (policy === 'Random') {
    if (isFirst) return 50;
    return machine.status?.nodeRef === undefined ? 40 : 20;
  }
  if (isFirst) return most;
  const byAge = ageScore(machine, nowMs);
  return policy === 'Oldest' ? byAge : most - byAge;
}

/** The machines that a set deletes to scale down by `count`. Of equal ones, by name: the choice is the same
 *  in every reconcile, so that no further machine is chosen before the first deletion shows. */
export function machinesToDelete(
  machines: readonly Machine[],
  { count, policy, nowMs }: { readonly count: number; readonly policy: DeletePolicy; readonly nowMs: number },
): readonly Machine[] {
  const scored = machines.map((machine) => ({ machine, score: deletionScore(machine, policy, nowMs) }));
  const sorted = scored.toSorted(
    (a, b) => b.score - a.score || (a.machine.metadata.name < b.machine.metadata.name ? -1 : 1),
  );
  return sorted.slice(0, Math.max(0, count)).map(({ machine }) => machine);
}
