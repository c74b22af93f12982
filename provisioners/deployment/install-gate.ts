import { PermissionsMissing } from '../../src/apply/index.ts';
import { type Clock, TerminalError } from '../../src/base/index.ts';
import { backOffMs } from '../../src/controller/index.ts';

/** What an installation is tried with: as long as it stays the same, another try is only worth its while after a time. */
export interface Attempt {
  readonly name: string;
  /** The same for the same requested. */
  readonly inputs: string;
  /** The number of changes that had come when it began. */
  readonly epoch: number;
}

interface Failure {
  readonly inputs: string;
  readonly failures: number;
  readonly dueMs: number;
  readonly waitMs: number;
  readonly isTerminal: boolean;
  /** Nothing had been written: what the failure was about may go away when others remove something. Permissions do not come that way, and users remove
   *  objects of their own as often as they like. */
  readonly mayGoAway: boolean;
}

/** What may change the outcome of a try. */
interface GateChange {
  readonly owner: string | undefined;
  readonly mayUnblock: boolean;
  readonly isDrift: boolean;
}

/** A change during a try may have come too late for it: it is repeated soon, but not at once. */
const maxAfterChangeMs = 1_000;
/** What was refused is left alone at least so long; who looks at everything now and then gives it another chance. */
const finalMs = 3_600_000;

/** Remembers failed installations, so that what their undoing stirs up does not start them again: an upgrade that fails half-way
 *  is tried again after a back-off, one that is refused for good not before something changes. */
export class InstallGate {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failure>();
  #epoch = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(name: string, inputs: string): Attempt {
    return { name, inputs, epoch: this.#epoch };
  }

  /** How long not to try; undefined to go on. `isFinal`: not before something changes. */
  pauseOf({ name, inputs }: Attempt): { readonly ms: number; readonly isFinal: boolean } | undefined {
    const failure = this.#failures.get(name);
    if (failure?.inputs !== inputs) return undefined;
    const ms = failure.dueMs - this.#clock.now();
    // More is left than there was if the clock was set back.
    return ms > 1 && ms <= failure.waitMs ? { ms, isFinal: failure.isTerminal } : undefined;
  }

  /** Takes in what a try ended with; returns how long to wait before the next one. */
  failed(attempt: Attempt, thrown: unknown, facts: { readonly isUntouched: boolean }): number {
    const { name, inputs, epoch } = attempt;
    const before = this.#failures.get(name);
    const failures = before?.inputs === inputs ? before.failures + 1 : 1;
    const isTerminal = thrown instanceof TerminalError;
    const pauseMs = backOffMs(failures);
    let waitMs = isTerminal ? finalMs : pauseMs;
    const mayGoAway = facts.isUntouched && !(thrown instanceof PermissionsMissing);
    if (mayGoAway && !isTerminal && epoch !== this.#epoch) waitMs = Math.min(pauseMs, maxAfterChangeMs);
    this.#failures.set(name, { inputs, failures, dueMs: this.#clock.now() + waitMs, waitMs, isTerminal, mayGoAway });
    return waitMs;
  }

  /** Nothing of the deployment waits any more. */
  forget(name: string): void {
    this.#failures.delete(name);
  }

  /** Releases the deployments that the change may unblock, and names them. What the rollback of a deployment itself removes is
   *  no such change, nor does it release deployments that were rolled back themselves. */
  release(change: GateChange): readonly string[] {
    if (change.owner !== undefined && change.isDrift) this.#failures.delete(change.owner);
    if (!change.mayUnblock) return [];
    this.#epoch++;
    const released: string[] = [];
    for (const [name, failure] of this.#failures) {
      if (name === change.owner || !failure.mayGoAway) continue;
      if (failure.isTerminal && change.owner !== undefined) continue;
      this.#failures.set(name, { ...failure, dueMs: 0 });
      released.push(name);
    }
    return released;
  }
}
