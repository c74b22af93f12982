import type { ClusterServiceVersionPhase, ClusterServiceVersionReason } from '../../api/index.ts';

/** Phase, reason and message of a ClusterServiceVersion. */
export interface Standing {
  readonly phase: ClusterServiceVersionPhase;
  readonly reason: ClusterServiceVersionReason;
  readonly message: string;
}

/** The status becomes that. */
export interface Move extends Standing {
  readonly kind: 'Move';
  /** When to reconcile again although nothing changes. */
  readonly afterMs?: number;
}

/** The status stays. */
export interface Stay {
  readonly kind: 'Stay';
  /** When to reconcile again although nothing changes. */
  readonly afterMs?: number;
  /** Reported as a failed reconcile. */
  readonly problem?: string;
}

/** What follows from the facts. `Delete` deletes the ClusterServiceVersion. */
export type Decision = Move | Stay | { readonly kind: 'Delete' };

/** A row of the state machine. Its id is that of the specification.
 *  @see docs/spec/olm-v0.md#state-machine */
export interface Row<Facts> {
  readonly id: string;
  /** Undefined where the condition of the row does not hold. */
  decide(facts: Facts): Decision | undefined;
}

/** A row that was applied. */
export interface Applied {
  readonly id: string;
  readonly decision: Decision;
}

/** The first row that holds; `Stay` where none does. */
export function firstOf<Facts>(rows: readonly Row<Facts>[], facts: Facts): Applied {
  for (const row of rows) {
    const decision = row.decide(facts);
    if (decision !== undefined) return { id: row.id, decision };
  }
  return { id: 'none', decision: { kind: 'Stay' } };
}

/** Moves to a phase. */
export function move(phase: ClusterServiceVersionPhase, reason: ClusterServiceVersionReason, message: string): Move {
  return { kind: 'Move', phase, reason, message };
}
