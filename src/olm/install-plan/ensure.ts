import type { InstallPlanStepStatus } from '../../api/index.ts';
import { isJsonEqual, type JsonObject, type JsonValue, TransientError } from '../../base/index.ts';
import { describeRef, isAlreadyExists, type KubeObject, NoKindMatch, refOf } from '../../kube/index.ts';
import { componentLabelsOf } from '../../operators/index.ts';
import { type Placement, placedObject, updatedObject } from './objects.ts';
import { describingRefusal } from './refused-writes.ts';
import { replacementOf } from './replaceable.ts';
import type { StepRun } from './step-run.ts';

/** A step that is done. */
export type Applied = Extract<InstallPlanStepStatus, 'Created' | 'Present' | 'WaitingForApi'>;

const deprecationGuide = 'https://kubernetes.io/docs/reference/using-api/deprecation-guide/';

/** The error for a kind that the cluster does not serve.
 *  @see docs/spec/olm-v0.md#install-plans */
export function notServed({ step: { resource } }: StepRun, cause: unknown): TransientError {
  const { group, version, kind, name } = resource;
  const api = `${group === '' ? version : `${group}/${version}`}, Kind=${kind}`;
  const text = `api-server resource not found installing ${kind} ${name}: GroupVersionKind ${api} not found on the cluster. This API may have been deprecated and removed, see ${deprecationGuide} for more information.`;
  return new TransientError('ApiNotFound', text, { cause });
}

/** The ClusterServiceVersion that a step serves; its uid makes what the step creates go with it.
 *  @throws TransientError OwnerMissing */
function ownerOf({ run, step, namespace }: StepRun): Placement['owner'] {
  const { resolving: name } = step;
  if (name === '') return undefined;
  const { uid, deletionTimestamp } = run.context.csvs.get(name, namespace)?.metadata ?? {};
  if (uid !== undefined && deletionTimestamp === undefined) return { name, uid };
  const problem = uid === undefined ? 'does not exist' : 'is being deleted';
  const text = `ClusterServiceVersion "${name}" in namespace "${namespace}", which owns what the plan installs, ${problem}`;
  throw new TransientError('OwnerMissing', text);
}

/** The object as it is created.
 *  @throws TransientError ApiNotFound, OwnerMissing */
async function placed(given: StepRun, manifest: JsonObject): Promise<KubeObject> {
  const { apiVersion, kind } = manifest as { apiVersion: string; kind: string };
  try {
    const { isNamespaced } = await given.run.context.kube.resolve(apiVersion, kind, { signal: given.signal });
    return placedObject(manifest, { namespace: given.namespace, isNamespaced, owner: ownerOf(given) });
  } catch (thrown) {
    throw thrown instanceof NoKindMatch ? notServed(given, thrown) : thrown;
  }
}

/** The object with further labels. */
export function labelled(object: KubeObject, labels: Readonly<Record<string, string>>): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}

/** The labels of the Operator that what a step creates is a component of. */
export function componentLabelsFor({ run, step, namespace }: StepRun): Readonly<Record<string, string>> {
  const csv = run.context.csvs.get(step.resolving, namespace);
  return csv === undefined ? {} : componentLabelsOf(csv);
}

/** Creates an object; undefined if there is one of that name. */
export async function create({ kube, step, write }: StepRun, desired: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await describingRefusal(step, 'creating', () => kube.create(desired, write));
  } catch (thrown) {
    if (isAlreadyExists(thrown)) return undefined;
    throw thrown;
  }
}

/** Creates or updates the object of a step. Labels in `created` are for an object that is new.
 *  @throws TerminalError ForeignObject · TransientError ApiNotFound, OwnerMissing, BeingDeleted */
export async function ensure(
  given: StepRun,
  manifest: JsonObject,
  created: Readonly<Record<string, string>> = {},
): Promise<Applied> {
  const { kube, write, namespace, signal } = given;
  const desired = await placed(given, manifest);
  if ((await create(given, labelled(desired, created))) !== undefined) return 'Created';
  const live = await kube.get(refOf(desired), { signal });
  if (live.metadata.deletionTimestamp !== undefined) {
    throw new TransientError('BeingDeleted', `${describeRef(refOf(live))} is being deleted`);
  }
  if (replacementOf(live, desired, namespace) === 'leave') return 'Present';
  const updated = updatedObject(live, desired);
  const isSame = isJsonEqual(updated as unknown as JsonValue, live as unknown as JsonValue);
  if (!isSame) await describingRefusal(given.step, 'updating', () => kube.update(updated, write));
  return 'Present';
}

/** Creates or updates an object of a kind that is a component of its Operator. One that is found is labelled by the controller of Operators, if the
 *  operator owns it.
 *  @throws as `ensure` */
export async function ensureComponent(given: StepRun, manifest: JsonObject): Promise<Applied> {
  return await ensure(given, manifest, componentLabelsFor(given));
}
