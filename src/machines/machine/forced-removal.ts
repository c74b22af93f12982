import { formatHooks, type LifecycleHook, machineAnnotations, parseMachine } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { preconditionOf, refOf } from '../../kube/index.ts';
import { type MachineRun, machineFieldManager, record } from './context.ts';

/** Removes the hooks that the annotation names, as a user asks for whose program will not remove them, and records it.
 *  @see docs/spec/machine-lifecycle.md#3-admission-rules-for-hooks */
export async function removeByForce(run: MachineRun, signal: AbortSignal): Promise<void> {
  const { forceHookRemoval } = machineAnnotations;
  const text = run.machine.metadata.annotations?.[forceHookRemoval];
  if (text === undefined) return;
  const names = new Set(text.split(',').map((name) => name.trim()));
  const isNamed = ({ name }: LifecycleHook): boolean => names.has(name);
  const { preDrain = [], preTerminate = [] } = run.machine.spec?.lifecycleHooks ?? {};
  const removed = [...preDrain, ...preTerminate].filter(isNamed);
  const rest = (hooks: readonly LifecycleHook[]): JsonObject[] | null => {
    const left = hooks.filter((hook) => !isNamed(hook));
    return left.length === 0 ? null : left.map((hook) => ({ ...hook }));
  };
  const metadata = { ...preconditionOf(run.object), annotations: { [forceHookRemoval]: null } };
  const patch = { metadata, spec: { lifecycleHooks: { preDrain: rest(preDrain), preTerminate: rest(preTerminate) } } };
  const { kube, machines } = run.context;
  const written = await kube.patch(refOf(run.object), patch, { fieldManager: machineFieldManager, signal });
  machines.wrote(written);
  run.status.rebase(run, written);
  run.machine = parseMachine(run.object);
  if (removed.length === 0) return;
  const message = `Hooks ${formatHooks(removed)} were removed because of the annotation ${forceHookRemoval}, not by their owners`;
  record(run, { type: 'Warning', reason: 'HookRemovedByForce', message });
}
