import { ownerKindLabel, ownerNameLabel, releasedFromAnnotation } from '../api/index.ts';
import type { JsonObject } from '../base/index.ts';
import {
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  type ObjectRef,
  preconditionOf,
} from '../kube/index.ts';
import { partOfLabel } from './inventory.ts';
import { fieldManager, isAppliedEntry, isReferenceTo, labelledOwner, type Owner } from './ownership.ts';

const maxTries = 5;

/** Merge patch that removes `owner`'s marks from an object. The applied fields have no owner any more: the next client that applies
 *  them next gets them without a conflict. */
export function releasePatch({ metadata }: KubeObject, owner: Owner): JsonObject {
  const references = (metadata.ownerReferences ?? []).filter((reference) => !isReferenceTo(reference, owner.name));
  const entries = (metadata.managedFields ?? []).filter((entry) => !isAppliedEntry(entry));
  return {
    metadata: {
      ...preconditionOf({ apiVersion: '', kind: '', metadata }),
      labels: { [ownerKindLabel]: null, [ownerNameLabel]: null, [partOfLabel]: null },
      annotations: { [releasedFromAnnotation]: owner.name },
      ownerReferences: references as unknown as JsonObject[],
      // An empty list would leave the entries as they are.
      managedFields: entries.length === 0 ? [{}] : entries,
    },
  };
}

/** Releases an object: it stays unchanged, without an owner. A deleted object, or one of another owner, is left alone. */
export async function releaseObject(
  kube: KubeClient,
  ref: ObjectRef,
  work: { readonly owner: Owner; readonly signal: AbortSignal },
): Promise<void> {
  const { owner, signal } = work;
  for (let tries = 1; ; tries++) {
    try {
      const object = await kube.get(ref, { signal });
      if (labelledOwner(object.metadata) !== owner.name) return;
      await kube.patch(ref, releasePatch(object, owner), { fieldManager, signal });
      return;
    } catch (thrown) {
      if (isNotFound(thrown) || thrown instanceof NoKindMatch) return;
      if (!isConflict(thrown) || tries === maxTries) throw thrown;
    }
  }
}
