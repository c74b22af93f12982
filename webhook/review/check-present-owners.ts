import type { Resource } from '../../src/api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import type { ObjectIdentity } from './facts.ts';
import type { ReviewRequest } from './request.ts';
import type { AdmissionResult } from './result.ts';
import type { ReviewContext } from './webhook-definition.ts';

/** Kinds of owners that controllers set, and what is lost with the object when the garbage collector deletes it. */
export interface OwnedKind {
  readonly owners: readonly Resource[];
  /** `the Bundle, with the content that was uploaded for it`. */
  readonly loss: string;
}

function ownersOf(object: JsonObject | undefined, kinds: readonly Resource[]): readonly ObjectIdentity[] {
  return objectsAt(objectAt(object, 'metadata'), 'ownerReferences').flatMap((owner) => {
    const [apiVersion, kind, name, uid] = ['apiVersion', 'kind', 'name', 'uid'].map((key) => textAt(owner, key));
    const isOurs = kinds.some((one) => one.apiVersion === apiVersion && one.kind === kind);
    return isOurs ? [{ apiVersion, kind, name, uid } as ObjectIdentity] : [];
  });
}

/** Owners of these kinds that a write adds exist. */
export async function checkPresentOwners(
  { object, oldObject }: ReviewRequest,
  { rules, facts, signal }: ReviewContext,
  { owners, loss }: OwnedKind,
): Promise<AdmissionResult> {
  const before = new Set(ownersOf(oldObject, owners).map(({ uid }) => uid));
  const added = new Map(ownersOf(object, owners).map((owner) => [owner.uid, owner]));
  for (const [uid, owner] of added) {
    // No more are asked for than exist: the first that does not is enough.
    if (!before.has(uid) && (await facts.isAbsent(owner, { signal })))
      return rules.evaluate('present-owners', owner, loss);
  }
  return rules.evaluate('present-owners', undefined, loss);
}
