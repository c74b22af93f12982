import { isJsonObject, type JsonObject, type JsonValue, WaitingError } from '../src/base/index.ts';
import { type Condition, type KindCache, type KubeObject, setCondition, writeStatus } from '../src/kube/index.ts';
import { type ProvisionerContext } from './context.ts';
import { fieldManager } from './field-manager.ts';

/** What a message says about a class that no provisioner serves. */
function unservedText(className: string, known: Iterable<string>): string {
  return `No provisioner of the class "${className}" has reconciled it; Longshore serves ${[...known].join(', ')}. Correct provisionerClassName, or install the provisioner of that class`;
}

function conditionsOf(status: JsonObject): readonly Condition[] {
  const { conditions } = status;
  return Array.isArray(conditions) ? (conditions.filter(isJsonObject) as unknown as readonly Condition[]) : [];
}

/** Whether a provisioner has reconciled this generation, or said anything about a Bundle. */
function isTouched({ metadata }: KubeObject, status: JsonObject): boolean {
  const isSeen = status['observedGeneration'] === metadata.generation;
  return isSeen || conditionsOf(status).some((one) => one.observedGeneration === metadata.generation);
}

/** Reports on an object of an unknown class that it is not reconciled, once other provisioners have had 30 seconds for it. Classes that are named as
 *  those of other provisioners are left alone, and so is what anyone else has reconciled.
 *  @throws WaitingError until then */
export async function reportUnserved(
  context: ProvisionerContext,
  object: KubeObject,
  work: { readonly type: 'Unpacked' | 'Installed'; readonly cache: KindCache; readonly signal: AbortSignal },
): Promise<void> {
  const { clock, kube, classes, foreignClasses, unserved } = context;
  const className = (object['spec'] as JsonObject)['provisionerClassName'] as string;
  const status = isJsonObject(object['status']) ? object['status'] : {};
  if (foreignClasses.has(className) || object.metadata.deletionTimestamp !== undefined || isTouched(object, status))
    return;
  const afterMs = unserved.remainingMs(object, clock.now());
  if (afterMs > 0) throw new WaitingError('NoProvisioner', `class "${className}" is not served here`, { afterMs });
  const observedGeneration = object.metadata.generation ?? 0;
  const message = unservedText(className, classes);
  const condition = {
    type: work.type,
    status: 'Unknown',
    reason: 'NoProvisioner',
    message,
    observedGeneration,
  } as const;
  const conditions = setCondition(conditionsOf(status), condition, clock.now()) as unknown as JsonValue;
  await writeStatus({ kube, cache: work.cache, fieldManager, signal: work.signal }, object, { conditions });
}
