import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../base/index.ts';
import {
  describeRef,
  isAlreadyExists,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ObjectMeta,
  refOf,
} from '../kube/index.ts';

/** How an object is written that a controller owns. */
export interface OwnedWrite {
  readonly kube: Pick<KubeClient, 'create' | 'update' | 'get'>;
  readonly cache: Pick<KindCache, 'get' | 'wrote'>;
  readonly fieldManager: string;
  /** Whether an object that exists may be changed; its name and labels alone are no reason. */
  readonly isOwn: (live: KubeObject) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Members whose further keys change what the object does: they are compared exactly. */
const exactMembers = new Set(['selector', 'matchLabels', 'namespaceSelector', 'objectSelector']);

/** Whether `live` has all of `desired`; what a server adds by its defaults does not count. */
export function covers(live: JsonValue | undefined, desired: JsonValue): boolean {
  if (Array.isArray(desired)) {
    return (
      Array.isArray(live) && live.length === desired.length && desired.every((item, index) => covers(live[index], item))
    );
  }
  if (!isJsonObject(desired)) return live !== undefined && isJsonEqual(live, desired);
  if (!isJsonObject(live ?? null)) return false;
  return Object.entries(desired).every(([key, value]) => {
    const own = (live as JsonObject)[key];
    return exactMembers.has(key) ? isJsonEqual(own ?? null, value ?? null) : covers(own, value ?? null);
  });
}

function mergedMetadata(live: ObjectMeta, desired: ObjectMeta): ObjectMeta {
  const owners = live.ownerReferences ?? [];
  const added = (desired.ownerReferences ?? []).filter((one) => !owners.some(({ uid }) => uid === one.uid));
  const merged = {
    ...live,
    ...(desired.labels !== undefined && { labels: { ...live.labels, ...desired.labels } }),
    ...(desired.annotations !== undefined && { annotations: { ...live.annotations, ...desired.annotations } }),
  };
  return added.length === 0 ? merged : { ...merged, ownerReferences: [...owners, ...added] };
}

/** `live` with all of `desired`: labels, annotations, owners and members of `spec` are added or replaced, other members replaced. */
function merge(live: KubeObject, desired: KubeObject): KubeObject {
  const { spec, metadata } = desired;
  return {
    ...live,
    ...desired,
    metadata: mergedMetadata(live.metadata, metadata),
    ...(isJsonObject(spec) && isJsonObject(live['spec']) && { spec: { ...live['spec'], ...spec } }),
  };
}

function isCurrent(live: KubeObject, desired: KubeObject): boolean {
  const { metadata, ...content } = desired;
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const owners = live.metadata.ownerReferences ?? [];
  return (
    covers(live as JsonObject, content as JsonObject) &&
    covers(live.metadata.labels ?? {}, labels) &&
    covers(live.metadata.annotations ?? {}, annotations) &&
    ownerReferences.every(({ uid }) => owners.some((owner) => owner.uid === uid))
  );
}

async function createOrRead(desired: KubeObject, write: OwnedWrite): Promise<KubeObject> {
  const { kube, cache, fieldManager, signal } = write;
  try {
    const made = await kube.create(desired, { fieldManager, signal });
    cache.wrote(made);
    return made;
  } catch (thrown) {
    // The cache may lack it: it was created just now, or has no label that the cache selects by.
    if (!isAlreadyExists(thrown)) throw thrown;
    return await kube.get(refOf(desired), { signal });
  }
}

/** Creates an object, or changes what differs from it; writes nothing if nothing does.
 *  @throws TerminalError OwnerConflict when an object of that name belongs to another owner */
export async function ensureOwned(desired: KubeObject, write: OwnedWrite): Promise<KubeObject> {
  const { kube, cache, fieldManager, signal } = write;
  const { name = '', namespace } = desired.metadata;
  const live = cache.get(name, namespace) ?? (await createOrRead(desired, write));
  if (!write.isOwn(live)) {
    const text = `${describeRef(refOf(desired))} exists and belongs to another owner: delete or rename it`;
    throw new TerminalError('OwnerConflict', text);
  }
  if (isCurrent(live, desired)) return live;
  const written = await kube.update(merge(live, desired), { fieldManager, signal });
  cache.wrote(written);
  return written;
}

/** Whether one of the owner references names the object with this uid. */
export function isOwnedByUid({ metadata }: KubeObject, uid: string | undefined): boolean {
  return uid !== undefined && (metadata.ownerReferences ?? []).some((reference) => reference.uid === uid);
}
