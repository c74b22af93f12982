import type { Machine } from '../api/index.ts';
import type { JsonObject } from '../base/index.ts';

/** Why a provider could not do something.
 *  @see docs/spec/machine-lifecycle.md#46-actuator-contract */
export type ActuatorReason =
  | 'InvalidConfiguration'
  | 'UnsupportedChange'
  | 'InsufficientResources'
  | 'CreateError'
  | 'UpdateError'
  | 'DeleteError'
  | 'JoinClusterTimeoutError';

/** A failure of a provider. */
export class ActuatorError extends Error {
  readonly reason: ActuatorReason;

  constructor(reason: ActuatorReason, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ActuatorError';
    this.reason = reason;
  }
}

/** The provider is busy with the machine and asks to be called again. */
export class RequeueAfter extends Error {
  readonly afterMs: number;

  constructor(afterMs: number) {
    super(`requeue in: ${afterMs / 1000}s`);
    this.name = 'RequeueAfter';
    this.afterMs = afterMs;
  }
}

/** What a provider knows of an instance. Absent members leave what is known. */
export interface Instance {
  readonly providerID?: string;
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  /** As the provider names it: `running`. */
  readonly state?: string;
  readonly providerStatus?: JsonObject;
  /** Labels of the machine: type, region and zone. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface ActuatorCall {
  readonly signal: AbortSignal;
}

/** An infrastructure that machines run on. Every operation may be repeated, and repeats itself after a restart: none may create or delete twice.
 *  What they throw is an `ActuatorError`, a `RequeueAfter`, or a defect, which is tried again.
 *  @see docs/spec/machine-lifecycle.md#46-actuator-contract */
export interface Actuator {
  create(machine: Machine, call: ActuatorCall): Promise<Instance>;
  /** Reports all that `create` does: its answer may have been lost. */
  update(machine: Machine, call: ActuatorCall): Promise<Instance>;
  delete(machine: Machine, call: ActuatorCall): Promise<void>;
  /** False only when the instance is certain to be gone; a terminated one is. */
  exists(machine: Machine, call: ActuatorCall): Promise<boolean>;
}
