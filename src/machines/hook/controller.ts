import { type LifecycleHook, type Machine, machineResource, parseMachine } from '../../api/index.ts';
import { type Clock, errorMessage, type JsonObject } from '../../base/index.ts';
import {
  type ControllerDefinition,
  defineController,
  type Manager,
  type ReconcileRun,
  requeueAfter,
  type Step,
} from '../../controller/index.ts';
import {
  type EventRecorder,
  type KindCache,
  type KubeClient,
  type KubeObject,
  preconditionOf,
  refOf,
} from '../../kube/index.ts';
import { type MachineConditionChange, withConditions } from '../conditions.ts';
import { hookApi } from './api.ts';
import type { HookWait, MachineHook } from './definition.ts';
import { hookedMachine } from './hooked-machine.ts';

interface HookContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly hook: MachineHook;
  readonly machines: KindCache;
  readonly events: EventRecorder;
  readonly fieldManager: string;
}

interface HookRun extends ReconcileRun {
  readonly context: HookContext;
}

/** A wait is at least so long: work that asks for nothing between must not fill the API server. */
const shortestWaitMs = 1_000;
const longestMessage = 1_024;

function hooksOf({ spec }: Machine, stage: MachineHook['stage']): readonly LifecycleHook[] {
  return spec?.lifecycleHooks?.[stage] ?? [];
}

/** `PreTerminateBackupVolumeSucceeded` */
function hookConditionType({ stage, name }: MachineHook): string {
  const words = name.replace(/^.*\//, '').split(/[^A-Za-z0-9]+/);
  const pascal = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
  return `${stage === 'preDrain' ? 'PreDrain' : 'PreTerminate'}${pascal}Succeeded`;
}

async function writeHooks(
  { context, object }: HookRun,
  hooks: readonly LifecycleHook[],
  signal: AbortSignal,
): Promise<KubeObject> {
  const { kube, machines, hook, fieldManager } = context;
  const lifecycleHooks = { [hook.stage]: hooks.length === 0 ? null : hooks.map((one) => ({ ...one })) };
  const patch = { metadata: preconditionOf(object), spec: { lifecycleHooks } } as JsonObject;
  const written = await kube.patch(refOf(object), patch, { fieldManager, signal });
  machines.wrote(written);
  return written;
}

function mayAdd({ context: { hook, machines }, object }: HookRun): boolean {
  if (hook.mayAdd === undefined) return true;
  return hook.mayAdd(machines.inNamespace(object.metadata.namespace ?? '').map(hookedMachine));
}

/** Adds the hook, corrects its owner, or removes it from a machine that is not selected any more: all before a deletion. */
const keepHook: Step<HookRun> = async (run, { signal }) => {
  const { context, object } = run;
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const { hook } = context;
  const { name, owner, stage } = hook;
  const present = hooksOf(parseMachine(object), stage);
  const found = present.find((one) => one.name === name);
  const others = present.filter((one) => one.name !== name);
  const isOurs = found?.owner === owner;
  const isSelected = hook.selects?.(hookedMachine(object)) ?? true;
  if (isSelected === isOurs || (isSelected && !mayAdd(run))) return 'stop';
  await writeHooks(run, isSelected ? [...others, { name, owner }] : others, signal);
  return 'stop';
};

async function setCondition(run: HookRun, change: MachineConditionChange, signal: AbortSignal): Promise<void> {
  const { kube, machines, clock, fieldManager } = run.context;
  const known = parseMachine(run.object).status?.conditions ?? [];
  const conditions = withConditions(known, [change], clock.now());
  if (JSON.stringify(conditions) === JSON.stringify(known)) return;
  const patch = { metadata: preconditionOf(run.object), status: { conditions } } as unknown as JsonObject;
  const written = await kube.patch(refOf(run.object), patch, { fieldManager, subresource: 'status', signal });
  machines.wrote(written);
  (run as { object: KubeObject }).object = written;
}

async function attempt(run: HookRun, signal: AbortSignal): Promise<HookWait | undefined> {
  const { kube, clock, hook, fieldManager } = run.context;
  const type = hookConditionType(hook);
  try {
    const api = hookApi(kube, fieldManager, signal);
    return await hook.work(hookedMachine(run.object), { api, signal, nowMs: clock.now() });
  } catch (thrown) {
    signal.throwIfAborted();
    const message = errorMessage(thrown).slice(0, longestMessage);
    await setCondition(run, { type, status: 'False', severity: 'Warning', reason: 'HookFailed', message }, signal);
    throw thrown;
  }
}

/** Works on a machine that is being deleted, and removes the hook when the work is done. A hook that is not there any more is not added again. */
const work: Step<HookRun> = async (run, { signal }) => {
  const { hook, events } = run.context;
  const { name, owner, stage } = hook;
  const isOurs = (one: LifecycleHook): boolean => one.name === name && one.owner === owner;
  if (!hooksOf(parseMachine(run.object), stage).some(isOurs)) return;
  if (stage === 'preTerminate' && hookedMachine(run.object).drainedAtMs === undefined) return;
  const type = hookConditionType(hook);
  const wait = await attempt(run, signal);
  if (wait !== undefined) {
    const message = wait.message.slice(0, longestMessage);
    await setCondition(run, { type, status: 'False', severity: 'Info', reason: 'Waiting', message }, signal);
    requeueAfter(run, Math.max(shortestWaitMs, wait.waitSeconds * 1000));
    return;
  }
  await setCondition(run, { type, status: 'True' }, signal);
  const left = hooksOf(parseMachine(run.object), stage).filter((one) => !isOurs(one));
  await writeHooks(run, left, signal);
  const message = `${stage} hook ${name} of ${owner} is done and removed`;
  events.record(run.object, { type: 'Normal', reason: 'HookRemoved', message });
};

/** The controller of a hook. One object per hook: the name of the controller has that of the hook. */
function hookController(hook: MachineHook): ControllerDefinition<HookContext, HookRun> {
  return defineController({
    name: `machine-hook-${hook.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
    for: machineResource,
    begin: (context, object): HookRun => ({ context, object }),
    steps: [keepHook, work],
    permissions: {
      cluster: [
        { apiGroups: ['machine.openshift.io'], resources: ['machines'], verbs: ['get', 'list', 'watch', 'patch'] },
        { apiGroups: ['machine.openshift.io'], resources: ['machines/status'], verbs: ['patch'] },
      ],
    },
  });
}

/** Adds the controller of a hook. */
export function addMachineHook(manager: Manager, hook: MachineHook, { workers = 10 }: { workers?: number } = {}): void {
  const { kube, clock } = manager;
  const fieldManager = `machine-hook-${hook.owner}`.slice(0, 128);
  const events = manager.eventRecorder(fieldManager);
  const machines = manager.cache(machineResource);
  manager.add(hookController(hook), { context: { kube, clock, hook, machines, events, fieldManager }, workers });
}
