import { type Machine, type MachinePhase, machineAnnotations, parseMachine } from '../../api/index.ts';
import { type Clock, formatTimestamp, type JsonObject } from '../../base/index.ts';
import { type ReconcileRun, StatusWriter } from '../../controller/index.ts';
import type { Drainer } from '../../drain/index.ts';
import type { CacheIndex, EventRecorder, KindCache, KubeClient, KubeObject, ObjectEvent } from '../../kube/index.ts';
import type { Actuator } from '../actuator.ts';
import { type MachineConditionChange, withConditions } from '../conditions.ts';

/** Behavior of the machine controller that differs between installations. */
export interface MachineSettings {
  /** Whether a node that is not drained, because the machine has none or excludes it, is released although preDrain hooks are present. OpenShift does;
   *  default false.
   *  @see docs/spec/machine-lifecycle.md#44-algorithm-drain-controller */
  readonly skipDrainIgnoresHooks?: boolean;
  /** What the annotation `delete-machine` does: `Prioritise` only orders the deletions of a set, `Delete` deletes the machine. Default `Prioritise`. */
  readonly deleteAnnotation?: 'Prioritise' | 'Delete';
}

export interface MachineContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly actuator: Actuator;
  readonly settings: MachineSettings;
  readonly machines: KindCache;
  readonly nodes: KindCache;
  readonly namespaces: KindCache;
  readonly daemonSets: KindCache;
  readonly budgets: KindCache;
  readonly drainRules: KindCache;
  /** Pods by the name of their node. */
  readonly podsOn: CacheIndex;
  readonly events: EventRecorder;
  /** By the uid of the machine. */
  readonly drainers: Map<string, Drainer>;
}

/** A reconcile of a machine. */
export interface MachineRun extends ReconcileRun {
  readonly context: MachineContext;
  readonly status: StatusWriter;
  /** `object`, read. */
  machine: Machine;
}

export const machineFieldManager = 'longshore-machines';

/** Starts a reconcile. */
export function beginMachine(context: MachineContext, object: KubeObject): MachineRun {
  const { kube, clock, machines: cache } = context;
  const status = new StatusWriter<MachineRun>(object, {
    kube,
    clock,
    cache,
    fieldManager: machineFieldManager,
    // Hook implementing controllers write conditions as well: none of theirs may get lost.
    isGuarded: true,
    continueWith: (run, written) => {
      run.machine = parseMachine(written);
      return written;
    },
  });
  return { context, object, machine: parseMachine(object), status: status as unknown as StatusWriter };
}

/** Sets members of the status, to be written at the end or with `flush`. */
export function setStatus(run: MachineRun, fields: JsonObject): void {
  run.status.setFields(run, fields);
  run.machine = parseMachine(run.object);
}

/** Sets conditions. */
export function setConditions(run: MachineRun, changes: readonly MachineConditionChange[]): void {
  const { conditions = [] } = run.machine.status ?? {};
  const next = withConditions(conditions, changes, run.context.clock.now());
  setStatus(run, { conditions: next as unknown as JsonObject[] });
}

/** Sets the phase. Errors belong to the phase Failed, and go with it.
 *  @see docs/spec/machine-lifecycle.md#162-what-is-missing-above-machines */
export function setPhase(run: MachineRun, phase: MachinePhase, error?: { reason?: string; message: string }): void {
  const isNew = run.machine.status?.phase !== phase;
  setStatus(run, {
    phase,
    errorReason: error?.reason ?? null,
    errorMessage: error?.message ?? null,
    ...(isNew ? { lastUpdated: formatTimestamp(run.context.clock.now()) } : {}),
  });
}

/** Records an Event about the machine. */
export function record({ context, object }: MachineRun, event: ObjectEvent): void {
  context.events.record(object, event);
}

/** Whether the node of the machine is not to be drained. */
export function excludesDrain({ metadata }: Machine): boolean {
  return metadata.annotations?.[machineAnnotations.excludeNodeDraining] !== undefined;
}
