import { machineAnnotations } from '../../api/index.ts';
import { errorMessage, type JsonObject } from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { preconditionOf, refOf } from '../../kube/index.ts';
import { ActuatorError, type Instance, RequeueAfter } from '../actuator.ts';
import { instanceConditions } from '../conditions.ts';
import { type MachineRun, machineFieldManager, record, setConditions, setPhase, setStatus } from './context.ts';

/** An instance that exists is looked at again after this time. */
export const pollMs = 30_000;
const missingText = "can't find created instance";

/** Members that differ from what is known. */
function changed(
  known: Readonly<Record<string, string>> = {},
  reported: Readonly<Record<string, string | undefined>>,
): JsonObject {
  const entries = Object.entries(reported).filter(([key, value]) => value !== undefined && known[key] !== value);
  return Object.fromEntries(entries) as JsonObject;
}

/** What of the provider's report belongs into spec and metadata and is new; undefined if nothing is. */
function patchOf({ object, machine: { metadata, spec } }: MachineRun, instance: Instance): JsonObject | undefined {
  const labels = changed(metadata.labels, instance.labels ?? {});
  const annotations = changed(metadata.annotations, { [machineAnnotations.instanceState]: instance.state });
  const { providerID: known = '' } = spec ?? {};
  const id = changed({ providerID: known }, { providerID: instance.providerID });
  if ([labels, annotations, id].every((part) => Object.keys(part).length === 0)) return undefined;
  return { metadata: { ...preconditionOf(object), labels, annotations }, spec: id };
}

/** Writes what the provider reports: spec and metadata with one patch, the status at the end. */
async function takeOver(run: MachineRun, instance: Instance, signal: AbortSignal): Promise<void> {
  const { kube, machines } = run.context;
  const patch = patchOf(run, instance);
  if (patch !== undefined) {
    const written = await kube.patch(refOf(run.object), patch, { fieldManager: machineFieldManager, signal });
    machines.wrote(written);
    run.status.rebase(run, written);
  }
  const { providerID, addresses, providerStatus } = instance;
  setStatus(run, {
    ...(providerID === undefined ? {} : { providerID }),
    ...(addresses === undefined ? {} : { addresses: addresses.map((one) => ({ ...one })) }),
    ...(providerStatus === undefined ? {} : { providerStatus }),
  });
}

function isProvisioned({ machine: { spec, status } }: MachineRun): boolean {
  return (spec?.providerID ?? '') !== '' || (status?.addresses ?? []).length > 0;
}

/** Ends in `Failed`: nothing is tried again, but the machine may be deleted. */
async function fail(run: MachineRun, error: { reason?: string; message: string }, signal: AbortSignal): Promise<void> {
  setPhase(run, 'Failed', error);
  if (run.machine.metadata.annotations?.[machineAnnotations.instanceState] !== 'Unknown') {
    await takeOver(run, { state: 'Unknown' }, signal);
  }
}

/** What the provider fails with is for those who look at the machine. */
function reportFailure(run: MachineRun, reason: string, thrown: unknown): void {
  record(run, { type: 'Warning', reason, message: errorMessage(thrown) });
}

async function create(run: MachineRun, signal: AbortSignal): Promise<void> {
  setConditions(run, [instanceConditions.notCreated]);
  setPhase(run, 'Provisioning');
  await run.status.flush(run, signal);
  try {
    await takeOver(run, await run.context.actuator.create(run.machine, { signal }), signal);
    requeueAfter(run, pollMs);
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof RequeueAfter)) reportFailure(run, 'FailedCreate', thrown);
    if (thrown instanceof ActuatorError && thrown.reason === 'InvalidConfiguration') {
      await fail(run, { reason: thrown.reason, message: thrown.message }, signal);
    } else if (thrown instanceof RequeueAfter) {
      requeueAfter(run, thrown.afterMs);
    } else {
      throw thrown;
    }
  }
}

async function update(run: MachineRun, signal: AbortSignal): Promise<void> {
  requeueAfter(run, pollMs);
  try {
    await takeOver(run, await run.context.actuator.update(run.machine, { signal }), signal);
  } catch (thrown) {
    if (thrown instanceof RequeueAfter) {
      requeueAfter(run, thrown.afterMs);
      return;
    }
    signal.throwIfAborted();
    reportFailure(run, 'FailedUpdate', thrown);
    if (!(thrown instanceof ActuatorError)) throw thrown;
    return;
  }
  setConditions(run, [instanceConditions.exists]);
  if (!isProvisioned(run)) return;
  setPhase(run, run.machine.status?.nodeRef === undefined ? 'Provisioned' : 'Running');
}

/** Brings a machine that is not being deleted to its instance.
 *  @see docs/spec/machine-lifecycle.md#45-life-before-deletion */
export async function provision(run: MachineRun, signal: AbortSignal): Promise<void> {
  if (run.machine.status?.phase === 'Failed') return;
  let exists: boolean;
  try {
    exists = await run.context.actuator.exists(run.machine, { signal });
  } catch (thrown) {
    setConditions(run, [instanceConditions.unknown(errorMessage(thrown))]);
    throw thrown;
  }
  if (exists) {
    await update(run, signal);
  } else if (isProvisioned(run)) {
    setConditions(run, [instanceConditions.missing]);
    await fail(run, { message: missingText }, signal);
  } else {
    await create(run, signal);
  }
}
