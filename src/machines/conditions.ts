import {
  formatHooks,
  type Machine,
  type MachineCondition,
  type MachineConditionReason,
  type MachineConditionType,
} from '../api/index.ts';
import { formatTimestamp } from '../base/index.ts';

/** A condition as it is to be. True and Unknown have no severity. */
export interface MachineConditionChange {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly severity?: 'Error' | 'Warning' | 'Info';
  readonly reason?: string;
  readonly message?: string;
}

interface OwnChange extends MachineConditionChange {
  readonly type: MachineConditionType;
  readonly reason?: MachineConditionReason;
}

function isSame(condition: MachineCondition, change: MachineConditionChange): boolean {
  const { status, severity = '', reason = '', message = '' } = condition;
  return (
    status === change.status &&
    severity === (change.severity ?? '') &&
    reason === (change.reason ?? '') &&
    message === (change.message ?? '')
  );
}

/** The conditions with the changes, sorted by type. `lastTransitionTime` changes with any other member.
 *  @see docs/spec/machine-lifecycle.md#21-fields */
export function withConditions(
  conditions: readonly MachineCondition[],
  changes: readonly MachineConditionChange[],
  nowMs: number,
): readonly MachineCondition[] {
  const byType = new Map(conditions.map((condition) => [condition.type, condition]));
  for (const change of changes) {
    const old = byType.get(change.type);
    if (old === undefined || !isSame(old, change)) {
      byType.set(change.type, { ...change, lastTransitionTime: formatTimestamp(nowMs) });
    }
  }
  return [...byType.values()].toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

/** Whether the machine reports this. */
export function isTrue({ status }: Machine, type: MachineConditionType): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}

function hookCondition(
  type: 'Drainable' | 'Terminable',
  operation: 'Drain' | 'Terminate',
  hooks: NonNullable<NonNullable<Machine['spec']>['lifecycleHooks']>['preDrain'] = [],
): OwnChange {
  if (hooks.length === 0) return { type, status: 'True' };
  const message = `${operation} operation currently blocked by: ${formatHooks(hooks)}`;
  return { type, status: 'False', severity: 'Warning', reason: 'HookPresent', message };
}

/** Whether hooks hold the drain and the termination. */
export function hookConditions({ spec }: Machine): readonly OwnChange[] {
  const { preDrain, preTerminate } = spec?.lifecycleHooks ?? {};
  return [hookCondition('Drainable', 'Drain', preDrain), hookCondition('Terminable', 'Terminate', preTerminate)];
}

/** The stage of a deletion, and since when it is in it. */
interface Holding {
  readonly stage: 'preDrain' | 'preTerminate';
  readonly since: string;
}

/** Which hooks hold a deletion now, and since when. */
export function holdingOf({ metadata, status }: Machine): Holding {
  const { deletionTimestamp: since = '' } = metadata;
  const drained = status?.conditions?.find(({ type, status: state }) => type === 'Drained' && state === 'True');
  return drained === undefined
    ? { stage: 'preDrain', since }
    : { stage: 'preTerminate', since: drained.lastTransitionTime };
}

/** `DeletionHeld`: the provider fails to end the instance. */
export function failingProvider(error: string): OwnChange {
  const message = `the provider does not end the instance: ${error}`;
  return { type: 'DeletionHeld', status: 'True', reason: 'ProviderFailed', message };
}

/** `DeletionHeld`: which hooks hold a deletion now, and since when; undefined where it stays as it is. */
export function heldCondition(machine: Machine): OwnChange | undefined {
  const { stage, since } = holdingOf(machine);
  const hooks = machine.spec?.lifecycleHooks?.[stage] ?? [];
  if (hooks.length > 0) {
    const message = `${stage} hooks ${formatHooks(hooks)} hold the deletion since ${since}`;
    return { type: 'DeletionHeld', status: 'True', reason: 'HookPresent', message };
  }
  const known = machine.status?.conditions?.find(({ type }) => type === 'DeletionHeld');
  // A provider that fails is asked again: until it has answered, nothing else is known.
  if (known === undefined || known.reason === 'ProviderFailed') return undefined;
  return { type: 'DeletionHeld', status: 'False', severity: 'Info' };
}

/** `Drained`, with the reason of a failure. */
export function drainedCondition(outcome: { readonly message: string } | { readonly error: string }): OwnChange {
  if ('message' in outcome) return { type: 'Drained', status: 'True', message: outcome.message };
  const message = `could not drain machine: ${outcome.error}`;
  return { type: 'Drained', status: 'False', severity: 'Warning', reason: 'DrainError', message };
}

/** `InstanceExists`. */
export const instanceConditions: {
  readonly exists: OwnChange;
  readonly missing: OwnChange;
  readonly notCreated: OwnChange;
  unknown(error: string): OwnChange;
} = {
  exists: { type: 'InstanceExists', status: 'True' },
  missing: {
    type: 'InstanceExists',
    status: 'False',
    severity: 'Warning',
    reason: 'InstanceMissing',
    message: 'Instance not found on provider',
  },
  notCreated: {
    type: 'InstanceExists',
    status: 'False',
    severity: 'Warning',
    reason: 'InstanceNotCreated',
    message: 'Instance has not been created',
  },
  unknown: (error) => ({
    type: 'InstanceExists',
    status: 'Unknown',
    reason: 'ErrorCheckingProvider',
    message: `Failed to check if machine exists: ${error}`,
  }),
};

/** `Paused`: whether another API manages the machine. */
export function pausedCondition(authority: string): OwnChange {
  const message = `The AuthoritativeAPI status is set to '${authority}'`;
  if (authority === 'MachineAPI') {
    return { type: 'Paused', status: 'False', severity: 'Info', reason: 'AuthoritativeAPIMachineAPI', message };
  }
  return { type: 'Paused', status: 'True', reason: 'AuthoritativeAPINotMachineAPI', message };
}
