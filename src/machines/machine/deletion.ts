import { machineFinalizer } from '../../api/index.ts';
import { errorMessage } from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { hasFinalizer, isNotFound, removeFinalizer } from '../../kube/index.ts';
import { ActuatorError, RequeueAfter } from '../actuator.ts';
import { failingProvider, heldCondition, hookConditions, isTrue } from '../conditions.ts';
import { type MachineRun, machineFieldManager, record, setConditions, setPhase } from './context.ts';
import { drain } from './drain.ts';
import { removeByForce } from './forced-removal.ts';
import { nodeOf } from './node.ts';
import { pollMs } from './provision.ts';

/** Whether the instance certainly does not exist any more.
 *  @throws what the provider fails with, of which the machine has an Event and a condition */
async function terminate(run: MachineRun, signal: AbortSignal): Promise<boolean> {
  try {
    return await endInstance(run, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const message = errorMessage(thrown);
    record(run, { type: 'Warning', reason: 'FailedDelete', message });
    setConditions(run, [failingProvider(message)]);
    throw thrown;
  }
}

async function endInstance(run: MachineRun, signal: AbortSignal): Promise<boolean> {
  const { actuator } = run.context;
  try {
    await actuator.delete(run.machine, { signal });
  } catch (thrown) {
    const isNothingMade =
      thrown instanceof ActuatorError &&
      thrown.reason === 'InvalidConfiguration' &&
      (run.machine.status?.addresses ?? []).length === 0;
    if (thrown instanceof RequeueAfter) {
      requeueAfter(run, thrown.afterMs);
      return false;
    }
    if (!isNothingMade) throw thrown;
  }
  if (!(await actuator.exists(run.machine, { signal }))) return true;
  requeueAfter(run, pollMs);
  return false;
}

/** Deletes the Node that the machine has, unless another one has its name by now. */
async function deleteNode(run: MachineRun, signal: AbortSignal): Promise<void> {
  const node = await nodeOf(run, signal);
  if (node === undefined) return;
  const { name = '', uid } = node.metadata;
  try {
    await run.context.kube.delete({ apiVersion: 'v1', kind: 'Node', name }, { uid, signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
}

function reportHeld(run: MachineRun): void {
  const held = heldCondition(run.machine);
  if (held !== undefined) setConditions(run, [held]);
}

/** Takes a machine that is being deleted a step further: drain, hooks, instance, node, finalizer, in this order.
 *  @see docs/spec/machine-lifecycle.md#43-algorithm-machine-controller */
export async function removeMachine(run: MachineRun, signal: AbortSignal): Promise<void> {
  if (!hasFinalizer(run.object, machineFinalizer)) return;
  await removeByForce(run, signal);
  setPhase(run, 'Deleting');
  setConditions(run, hookConditions(run.machine));
  reportHeld(run);
  await run.status.flush(run, signal);
  await drain(run, signal);
  if (!isTrue(run.machine, 'Drained')) return;
  reportHeld(run);
  await run.status.flush(run, signal);
  if ((run.machine.spec?.lifecycleHooks?.preTerminate ?? []).length > 0) return;
  if (!(await terminate(run, signal))) return;
  await deleteNode(run, signal);
  const { kube, machines } = run.context;
  const options = { finalizer: machineFinalizer, fieldManager: machineFieldManager, signal };
  const written = await removeFinalizer(kube, run.object, options);
  if (written === undefined) return;
  machines.wrote(written);
  run.status.rebase(run, written);
}
