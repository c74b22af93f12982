import { describeRef, isNotFound, type KubeObject, NoKindMatch, refOf } from '../../src/kube/index.ts';
import type { ApplyManifestsOptions } from './apply-manifests.ts';
import { isOurs } from './installed.ts';
import { machineServerObjects } from './machines.ts';
import { formerObjects, readManifests } from './manifests.ts';
import { olmServerObjects } from './olm.ts';
import { overlays } from './overlays.ts';

/** With them would go what is installed. */
const retainedKinds: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'Namespace']);

async function otherThan(objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const found = new Map<string, KubeObject>();
  for (const overlay of overlays) {
    for (const object of (await readManifests(overlay)) as unknown as KubeObject[]) {
      if (!retainedKinds.has(object.kind)) found.set(describeRef(refOf(object)), object);
    }
  }
  for (const object of [...(await olmServerObjects()), ...(await machineServerObjects())])
    if (!retainedKinds.has(object.kind)) found.set(describeRef(refOf(object)), object);
  for (const object of objects) found.delete(describeRef(refOf(object)));
  return [...found.values()];
}

/** @returns whether it is there and ours; nothing is deleted in a dry run. */
async function deleteIfOurs(
  object: KubeObject,
  { kube, isDryRun, signal }: Pick<ApplyManifestsOptions, 'kube' | 'isDryRun' | 'signal'>,
): Promise<boolean> {
  try {
    if (!isOurs(await kube.get(refOf(object), { signal }))) return false;
    if (!isDryRun) await kube.delete(refOf(object), { signal });
    return true;
  } catch (thrown) {
    if (!isNotFound(thrown) && !(thrown instanceof NoKindMatch)) throw thrown;
    return false;
  }
}

/** Removes what only other overlays have, and what earlier versions have installed under other names, so that no account keeps permissions, and no certificate an issuer, of the previous overlay. What is not ours
 *  stays, whatever its name. */
export async function removeLeftovers(objects: readonly KubeObject[], options: ApplyManifestsOptions): Promise<void> {
  const { kube, isDryRun, signal, onApplied } = options;
  for (const object of await otherThan(objects)) {
    if (await deleteIfOurs(object, { kube, isDryRun, signal })) {
      onApplied(object, 'deleted: the overlay does not have it');
    }
  }
  for (const { object, currentName } of formerObjects()) {
    if (await deleteIfOurs(object, { kube, isDryRun, signal })) {
      onApplied(object, `deleted: it is named ${currentName} now, also in bindings of your own`);
    }
  }
}
