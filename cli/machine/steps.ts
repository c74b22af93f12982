import type { LifecycleHook, Machine } from '../../src/api/index.ts';

/** A step of the deletion of a machine. */
export interface DeletionStep {
  readonly title: string;
  readonly state: 'done' | 'held' | 'waiting';
  /** What holds it up. */
  readonly why?: string;
}

/** Hooks that a line names; a machine may have hundreds. */
const maxNamed = 5;

function hooksText(hooks: readonly LifecycleHook[], since: string | undefined): string {
  const named = hooks.slice(0, maxNamed).map(({ name, owner }) => `${name} of ${owner}`);
  const others = hooks.length - named.length;
  const rest = others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`;
  return `waits for ${named.join(', ')}${rest} to remove the hook${hooks.length === 1 ? '' : 's'}${since === undefined ? '' : `, since ${since}`}`;
}

function conditionOf({ status }: Machine, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

function drainText(machine: Machine): string {
  const { remaining = 0, blocking = [] } = machine.status?.drain ?? {};
  const held = blocking.map(({ pod, cause }) => `\n    ${pod}: ${cause}`).join('');
  const { status, message } = conditionOf(machine, 'Drained') ?? {};
  if (held === '') return status === 'False' ? (message ?? '') : 'the drain has not begun';
  return `${remaining} ${remaining === 1 ? 'pod is' : 'pods are'} still there${held}`;
}

function providerText(machine: Machine): string {
  const { reason, message = '', lastTransitionTime } = conditionOf(machine, 'DeletionHeld') ?? {};
  if (reason !== 'ProviderFailed') return 'the provider terminates the instance';
  return `${message}, since ${lastTransitionTime ?? 'its last try'}`;
}

interface Stage {
  readonly title: string;
  /** Undefined when it is done. */
  readonly why: string | undefined;
}

function hookStage(machine: Machine, stage: 'preDrain' | 'preTerminate', isPast: boolean): Stage {
  const title = stage === 'preDrain' ? 'preDrain hooks removed' : 'preTerminate hooks removed';
  const hooks = machine.spec?.lifecycleHooks?.[stage] ?? [];
  // Hooks of the second list hold nothing before the drain.
  const drained = stage === 'preDrain' ? undefined : conditionOf(machine, 'Drained');
  const since = drained?.lastTransitionTime ?? machine.metadata.deletionTimestamp;
  return { title, why: hooks.length === 0 || isPast ? undefined : hooksText(hooks, since) };
}

/** The steps of the deletion of a machine, in their order. Of those that are not done the first one is held up, the others wait for it. */
export function deletionSteps(machine: Machine): readonly DeletionStep[] {
  const isDrained = conditionOf(machine, 'Drained')?.status === 'True';
  const { phase } = machine.status ?? {};
  const stages: readonly Stage[] = [
    {
      title: 'Deletion requested',
      why: machine.metadata.deletionTimestamp === undefined ? 'no deletion was requested' : undefined,
    },
    { title: 'Phase Deleting', why: phase === 'Deleting' ? undefined : 'the machine controller has not taken it up' },
    hookStage(machine, 'preDrain', isDrained),
    { title: 'Node drained', why: isDrained ? undefined : drainText(machine) },
    hookStage(machine, 'preTerminate', false),
    { title: 'Instance, Node and machine deleted', why: providerText(machine) },
  ];
  const first = stages.findIndex(({ why }) => why !== undefined);
  return stages.map(({ title, why }, index): DeletionStep => {
    if (why === undefined) return { title, state: 'done' };
    return index === first ? { title, state: 'held', why } : { title, state: 'waiting' };
  });
}

/** What holds the deletion of the machine, in one line; empty where nothing does. */
export function holderOf(machine: Machine): string {
  if (machine.metadata.deletionTimestamp === undefined) return '';
  const [line = ''] = (deletionSteps(machine).find(({ state }) => state === 'held')?.why ?? '').split('\n');
  return line;
}
