import { isJsonObject, type JsonObject, WaitingError } from '../src/base/index.ts';
import { type ReconcileRun, type StatusWriter, type Step } from '../src/controller/index.ts';
import { conditionsOf, type KubeObject } from '../src/kube/index.ts';
import type { ProvisionerContext } from './context.ts';

/** A run of either kind. */
interface UnservedRun extends ReconcileRun {
  readonly context: Pick<ProvisionerContext, 'clock' | 'classes' | 'foreignClasses' | 'unserved'>;
  readonly status: StatusWriter;
}

/** The message about a class that no provisioner serves. */
function unservedText(className: string, known: Iterable<string>): string {
  return `No provisioner of the class "${className}" has reconciled it; Longshore serves ${[...known].join(', ')}. Correct provisionerClassName, or install the provisioner of that class`;
}

/** Whether a provisioner has reconciled this generation, or set a status on a Bundle. */
function isTouched(object: KubeObject): boolean {
  const { generation } = object.metadata;
  const isSeen = isJsonObject(object['status']) && object['status']['observedGeneration'] === generation;
  return isSeen || conditionsOf(object).some((one) => one.observedGeneration === generation);
}

/** A step that leaves alone an object of an unknown class. It is reported once other provisioners have had 30 seconds for it, unless its class is named
 *  as that of another provisioner, or a provisioner has reconciled it.
 *  The step throws WaitingError until then. */
export function skipUnserved<Run extends UnservedRun>(type: 'Unpacked' | 'Installed'): Step<Run> {
  return async function skipUnservedClass(run) {
    await Promise.resolve();
    const { context, object } = run;
    const { clock, classes, foreignClasses, unserved } = context;
    const className = (object['spec'] as JsonObject)['provisionerClassName'] as string;
    if (classes.has(className)) return undefined;
    const isForeign = foreignClasses.has(className) || object.metadata.deletionTimestamp !== undefined;
    if (isForeign || isTouched(object)) return 'stop';
    const afterMs = unserved.remainingMs(object, clock.now());
    if (afterMs > 0) throw new WaitingError('NoProvisioner', `class "${className}" is not served here`, { afterMs });
    const message = unservedText(className, classes);
    run.status.set(run, [{ type, status: 'Unknown', reason: 'NoProvisioner', message }]);
    return 'stop';
  };
}
