import { clusterVersionFieldManager } from '../../api/index.ts';
import { isJsonEqual, isJsonObject, type JsonObject, objectsAt } from '../../base/index.ts';
import { isConflict, isKubeError, type KubeClient, type KubeObject, refOf } from '../../kube/index.ts';

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

/** What is written. */
interface StatusToWrite {
  readonly status: JsonObject;
  /** The status to write where the server refuses this one as invalid; undefined where there is no other. */
  readonly fallback?: (why: string) => JsonObject | undefined;
  readonly signal: AbortSignal;
}

function otherStatus(thrown: unknown, fallback: StatusToWrite['fallback']): JsonObject | undefined {
  return isKubeError(thrown) && thrown.failure.status === 422 ? fallback?.(thrown.message) : undefined;
}

/** Writes the status when it differs from that of `object`. A whole object is sent, because `availableUpdates` is a null that must be there. After a
 *  conflict it is written again, over what has become of the object.
 *  @returns the object as it is now */
export async function writeStatus(
  kube: KubeClient,
  object: KubeObject,
  { status, fallback, signal }: StatusToWrite,
): Promise<KubeObject> {
  let live = object;
  for (let left = tries; ; left -= 1) {
    const next = merged(object, live, status);
    if (isJsonEqual(statusOf(live), next)) return live;
    try {
      const body = { ...live, status: next };
      return await kube.update(body, { fieldManager: clusterVersionFieldManager, subresource: 'status', signal });
    } catch (thrown) {
      const other = otherStatus(thrown, fallback);
      if (other !== undefined) return await writeStatus(kube, object, { status: other, signal });
      if (!isConflict(thrown) || left <= 1) throw thrown;
    }
    const fresh = await kube.get(refOf(object), { signal });
    // Another object of the same name must not get the status of this one.
    if (fresh.metadata.uid !== object.metadata.uid) return fresh;
    live = fresh;
  }
}
