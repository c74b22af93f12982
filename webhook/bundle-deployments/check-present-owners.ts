import { clusterExtensionResource, platformOperatorResource } from '../../src/api/index.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import type { ObjectIdentity } from '../review/facts.ts';
import type { ReviewRequest } from '../review/request.ts';
import type { AdmissionResult } from '../review/result.ts';
import type { ReviewContext } from '../review/webhook-definition.ts';

const kinds = [clusterExtensionResource, platformOperatorResource];

function ownersOf(object: JsonObject | undefined): readonly ObjectIdentity[] {
  return objectsAt(objectAt(object, 'metadata'), 'ownerReferences').flatMap((owner) => {
    const [apiVersion, kind, name, uid] = ['apiVersion', 'kind', 'name', 'uid'].map((key) => textAt(owner, key));
    const isOurs = kinds.some((one) => one.apiVersion === apiVersion && one.kind === kind);
    return isOurs ? [{ apiVersion, kind, name, uid } as ObjectIdentity] : [];
  });
}

/** The ClusterExtensions and PlatformOperators that a write adds to the owners exist. */
export async function checkPresentOwners(
  { object, oldObject }: ReviewRequest,
  { rules, facts, signal }: ReviewContext,
): Promise<AdmissionResult> {
  const before = new Set(ownersOf(oldObject).map(({ uid }) => uid));
  const added = new Map(ownersOf(object).map((owner) => [owner.uid, owner]));
  for (const [uid, owner] of added) {
    // No more are asked for than exist: the first that does not is enough.
    if (!before.has(uid) && (await facts.isAbsent(owner, { signal }))) return rules.evaluate('present-owners', owner);
  }
  return rules.evaluate('present-owners', undefined);
}
