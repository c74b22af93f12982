import { systemOf } from '../../src/apply/index.ts';
import { TransientError } from '../../src/base/index.ts';
import type { RenderedHook } from '../../src/formats/index.ts';
import { describeRef, type KubeObject, type ObjectRef, refKey, refOf } from '../../src/kube/index.ts';
import {
  createHook,
  deleteHook,
  type HookRun,
  hookFailure,
  isDefinition,
  isOfDeployment,
  isOfRun,
  liveHook,
  outlives,
  placedHook,
  restoreTtl,
  stateOfHook,
} from './hook-object.ts';

/** Longer than any hook should take. */
const hookDeadlineMs = 10 * 60_000;

/** The hooks of one event, and how far they are. */
export interface HookPhase {
  /** `pre-install` */
  readonly event: string;
  readonly hooks: readonly RenderedHook[];
  /** How many of them have succeeded. */
  readonly step: number;
  readonly nowMs: number;
  /** Records an object before it is created. */
  readonly note: (ref: ObjectRef) => Promise<void>;
  /** Records that another one has succeeded. */
  readonly advance: (step: number) => Promise<void>;
}

function textOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The hooks of an event in Helm's order: by weight, then by name. */
export function hooksOf(hooks: readonly RenderedHook[], event: string): readonly RenderedHook[] {
  const nameOf = ({ object }: RenderedHook): string => (object as unknown as KubeObject).metadata.name ?? '';
  return hooks
    .filter(({ events }) => events.includes(event))
    .toSorted((a, b) => a.weight - b.weight || textOrder(nameOf(a), nameOf(b)));
}

function inTheWay(live: KubeObject, text: string): TransientError {
  return new TransientError('HookBlocked', `${describeRef(refOf(live))} ${text}`);
}

/** Deletes the object of a hook where its policy has that; as with Helm, never a CustomResourceDefinition. */
async function deleteBy(policy: string, { hook, live }: PlacedHook, hookRun: HookRun): Promise<void> {
  if (hook.deletePolicies.includes(policy) && !isDefinition(live)) await deleteHook(live, hookRun);
}

interface PlacedHook {
  readonly hook: RenderedHook;
  readonly live: KubeObject;
}

/** @throws TransientError HookBlocked for an object that no hook of the deployment has left, and none may take the place of */
function assertReplaceable(live: KubeObject, { mayAdopt, systemNamespace }: HookRun): void {
  const system = systemOf(live, systemNamespace);
  if (system !== undefined) throw inTheWay(live, `belongs to ${system} itself: rename the hook in the chart`);
  if (mayAdopt) return;
  throw inTheWay(live, 'exists, and is no hook of this deployment: delete it, or rename the hook in the chart');
}

/** Removes what stands at the place of a hook, as its policy has it. */
async function clearPlace(live: KubeObject, hook: RenderedHook, hookRun: HookRun): Promise<void> {
  if (live.metadata.deletionTimestamp !== undefined) return;
  if (!isOfDeployment(live, hookRun)) assertReplaceable(live, hookRun);
  if (!hook.deletePolicies.includes('before-hook-creation')) {
    throw inTheWay(live, 'of an earlier run exists, and the policy of the hook does not delete it: delete it');
  }
  await deleteHook(live, hookRun);
}

/** The object of a hook in this run; undefined while an earlier one is being deleted. */
async function ensureHook(hook: RenderedHook, phase: HookPhase, hookRun: HookRun): Promise<KubeObject | undefined> {
  const object = await placedHook(hook, hookRun);
  const live = await liveHook(refOf(object), hookRun);
  if (live !== undefined && (isOfRun(live, hookRun) || isDefinition(live))) return live;
  if (live !== undefined) {
    await clearPlace(live, hook, hookRun);
    if ((await liveHook(refOf(object), hookRun)) !== undefined) return undefined;
  }
  await phase.note(refOf(object));
  return await createHook(object, hookRun);
}

function ageMs({ metadata }: KubeObject, nowMs: number): number {
  return nowMs - Date.parse(metadata.creationTimestamp ?? '');
}

async function failed(
  live: KubeObject,
  { hook, event, why }: { readonly hook: RenderedHook; readonly event: string; readonly why: string },
  hookRun: HookRun,
): Promise<TransientError> {
  const failure = await hookFailure(live, { event, why }, hookRun);
  await deleteBy('hook-failed', { hook, live }, hookRun);
  return failure;
}

/** Goes on with the hooks of a phase; the answer is what is waited for, undefined when all have succeeded.
 *  @throws TransientError HookFailed, HookBlocked */
export async function runHooks(phase: HookPhase, hookRun: HookRun): Promise<string | undefined> {
  const { event, hooks, nowMs } = phase;
  for (const [index, hook] of hooks.entries()) {
    if (index < phase.step) continue;
    const live = await ensureHook(hook, phase, hookRun);
    const what = `${event} hook ${hook.object['kind'] as string} "${(hook.object as unknown as KubeObject).metadata.name ?? ''}"`;
    if (live === undefined) return `deletion of the earlier ${what}`;
    const state = stateOfHook(live);
    const fail = async (why: string): Promise<TransientError> => {
      const failure = await failed(live, { hook, event, why }, hookRun);
      await deleteSucceeded(hooks.slice(0, index), hookRun);
      return failure;
    };
    if (state.kind === 'Failed') throw await fail(state.why);
    if (state.kind === 'Running') {
      if (ageMs(live, nowMs) < hookDeadlineMs) return what;
      throw await fail(`it did not end within ${hookDeadlineMs / 60_000} minutes`);
    }
    await restoreTtl(live, hook, hookRun);
    await phase.advance(index + 1);
  }
  await deleteSucceeded(hooks, hookRun);
  return undefined;
}

/** Deletes what is to go once these hooks have succeeded and no other follows, the last first. */
async function deleteSucceeded(hooks: readonly RenderedHook[], hookRun: HookRun): Promise<void> {
  for (const hook of hooks.toReversed()) {
    if (!hook.deletePolicies.includes('hook-succeeded')) continue;
    const live = await liveHook(refOf(await placedHook(hook, hookRun)), hookRun);
    if (live !== undefined && isOfRun(live, hookRun)) await deleteBy('hook-succeeded', { hook, live }, hookRun);
  }
}

/** Deletes the recorded objects that hooks of the deployment have created, except those that outlive it. */
export async function deleteHooks(
  refs: readonly ObjectRef[],
  hookRun: Pick<HookRun, 'kube' | 'uid' | 'signal'>,
): Promise<void> {
  const distinct = new Map(refs.map((ref) => [refKey(ref), ref]));
  for (const ref of distinct.values()) {
    const live = await liveHook(ref, hookRun);
    if (live !== undefined && isOfDeployment(live, hookRun) && !outlives(live)) await deleteHook(live, hookRun);
  }
}
