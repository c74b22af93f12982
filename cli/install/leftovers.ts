import { describeRef, isNotFound, type KubeObject, NoKindMatch, refOf } from '../../src/kube/index.ts';
import type { ApplyManifestsOptions } from './apply-manifests.ts';
import { isOurs } from './installed.ts';
import { overlays, readManifests } from './manifests.ts';

/** With them would go what is installed. */
const keptKinds: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'Namespace']);

async function otherThan(objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const found = new Map<string, KubeObject>();
  for (const overlay of overlays) {
    for (const object of (await readManifests(overlay)) as unknown as KubeObject[]) {
      if (!keptKinds.has(object.kind)) found.set(describeRef(refOf(object)), object);
    }
  }
  for (const object of objects) found.delete(describeRef(refOf(object)));
  return [...found.values()];
}

/** Removes what only other overlays have, so that nobody keeps rights, and no certificate an issuer, of the overlay before. What is not ours
 *  stays, whatever its name. */
export async function removeLeftovers(objects: readonly KubeObject[], options: ApplyManifestsOptions): Promise<void> {
  const { kube, isDryRun, signal, onApplied } = options;
  for (const object of await otherThan(objects)) {
    try {
      if (!isOurs(await kube.get(refOf(object), { signal }))) continue;
      if (!isDryRun) await kube.delete(refOf(object), { signal });
      onApplied(object, 'deleted: the overlay does not have it');
    } catch (thrown) {
      if (!isNotFound(thrown) && !(thrown instanceof NoKindMatch)) throw thrown;
    }
  }
}
