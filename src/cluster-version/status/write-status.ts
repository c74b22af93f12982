import { clusterVersionFieldManager } from '../../api/index.ts';
import { isJsonEqual, isJsonObject, type JsonObject, objectsAt } from '../../base/index.ts';
import { isConflict, type KubeClient, type KubeObject, refOf } from '../../kube/index.ts';

const tries = 5;

function statusOf(object: KubeObject): JsonObject {
  return isJsonObject(object['status']) ? object['status'] : {};
}

/** Conditions that another writer has added since `before` stay. */
function mergedConditions(before: JsonObject, live: JsonObject, desired: JsonObject): JsonObject[] {
  const [old, ours] = [objectsAt(before, 'conditions'), objectsAt(desired, 'conditions')];
  const isKnown = ({ type }: JsonObject): boolean => [...old, ...ours].some((one) => one['type'] === type);
  return [...ours, ...objectsAt(live, 'conditions').filter((one) => !isKnown(one))];
}

/** Members that another writer has added stay. */
function merged(before: KubeObject, live: KubeObject, status: JsonObject): JsonObject {
  const conditions = mergedConditions(statusOf(before), statusOf(live), status);
  const entries = Object.entries({ ...statusOf(live), ...status, conditions });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Writes the status when it differs from that of `object`. A whole object is sent, because `availableUpdates` is a null that must be there. After a
 *  conflict it is written again, over what has become of the object.
 *  @returns the object as it is now */
export async function writeStatus(
  kube: KubeClient,
  object: KubeObject,
  { status, signal }: { readonly status: JsonObject; readonly signal: AbortSignal },
): Promise<KubeObject> {
  let live = object;
  for (let left = tries; ; left -= 1) {
    const next = merged(object, live, status);
    if (isJsonEqual(statusOf(live), next)) return live;
    try {
      const body = { ...live, status: next };
      return await kube.update(body, { fieldManager: clusterVersionFieldManager, subresource: 'status', signal });
    } catch (thrown) {
      if (!isConflict(thrown) || left <= 1) throw thrown;
    }
    const fresh = await kube.get(refOf(object), { signal });
    // Another object of the same name must not get the status of this one.
    if (fresh.metadata.uid !== object.metadata.uid) return fresh;
    live = fresh;
  }
}
