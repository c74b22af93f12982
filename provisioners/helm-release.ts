import { installFieldManager } from '../src/api/index.ts';
import type { Inventory } from '../src/apply/index.ts';
import { isJsonObject, type JsonObject, mapLimit, TerminalError } from '../src/base/index.ts';
import {
  groupOf,
  isConflict,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  type ObjectRef,
  preconditionOf,
} from '../src/kube/index.ts';
import type { ProvisionerContext } from './context.ts';
import type { PackedRelease, Unpacker } from './unpacker/index.ts';

const maxObjects = 20_000;
const atATime = 8;
const maxTries = 5;
/** The programs of RukPak that wrote what they installed. */
const formerManagers: ReadonlySet<unknown> = new Set(['core', 'helm']);
export const releaseSecretType = 'helm.sh/release.v1';

function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.labels?.['version'] ?? 0);
}

/** Where the Secrets of a release are, and as whom they are read. */
export interface ReleasePlace {
  readonly kube: KubeClient;
  readonly name: string;
  readonly namespace: string;
}

/** Of the Secrets of a release what is needed without their content: there may be very many, each of a megabyte. */
export async function listReleases(
  { kube, name, namespace }: ReleasePlace,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const selectors = { labelSelector: `owner=helm,name=${name}`, fieldSelector: `type=${releaseSecretType}` };
  const target = { apiVersion: 'v1', kind: 'Secret', namespace, ...selectors, isMetadataOnly: true };
  const found: KubeObject[] = [];
  for await (const { items } of kube.listPages(target, { signal })) {
    for (const { metadata, ...kind } of items) found.push({ ...kind, metadata: { ...metadata, managedFields: [] } });
  }
  return found;
}

/** The content of one of the Secrets; undefined where it does not exist any more. It is listed, which is what its account is permitted to. */
export async function packedRelease(
  { kube }: Pick<ReleasePlace, 'kube'>,
  { metadata: { name = '', namespace, uid } }: KubeObject,
  signal: AbortSignal,
): Promise<PackedRelease | undefined> {
  const target = { apiVersion: 'v1', kind: 'Secret', namespace, fieldSelector: `metadata.name=${name}` };
  const secret = (await kube.list(target, { signal })).items.find((item) => item.metadata.uid === uid);
  if (secret === undefined) return undefined;
  const data = isJsonObject(secret['data']) ? secret['data']['release'] : undefined;
  return { what: `Secret "${name}"`, data: typeof data === 'string' ? data : '' };
}

/** What is installed by the Secrets of a release: the one that was deployed last, else the newest. */
function currentRelease(secrets: readonly KubeObject[]): KubeObject | undefined {
  const newestFirst = secrets.toSorted((a, b) => versionOf(b) - versionOf(a));
  return newestFirst.find(({ metadata }) => metadata.labels?.['status'] === 'deployed') ?? newestFirst[0];
}

interface Place {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Where the objects of a manifest are placed.
 *  @throws TerminalError UnreadableRelease */
export function placesOf(objects: readonly JsonObject[]): readonly Place[] {
  if (objects.length > maxObjects) {
    throw new TerminalError('UnreadableRelease', `the release has more than ${maxObjects} objects`);
  }
  return objects.flatMap(({ apiVersion, kind, metadata }): Place[] => {
    const { name, namespace } = isJsonObject(metadata) ? metadata : {};
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return [];
    return [{ apiVersion, kind, name, namespace: typeof namespace === 'string' ? namespace : undefined }];
  });
}

/** Where they really are; without those whose kind has gone. */
async function locate(
  places: readonly Place[],
  { kube, systemNamespace }: Pick<ProvisionerContext, 'kube' | 'systemNamespace'>,
): Promise<readonly ObjectRef[]> {
  const located = await mapLimit(places, atATime, async ({ namespace = systemNamespace, ...place }) => {
    try {
      const { isNamespaced } = await kube.resolve(place.apiVersion, place.kind);
      return [{ ...place, namespace: isNamespaced ? namespace : undefined }];
    } catch (thrown) {
      if (thrown instanceof NoKindMatch) return [];
      throw thrown;
    }
  });
  return located.flat();
}

/** The entry of a former writer as one of ours, so that a field that a later version drops goes, instead of staying as theirs. */
function asApplied(entry: JsonObject): JsonObject {
  const isFormer =
    formerManagers.has(entry['manager']) && entry['operation'] === 'Update' && entry['subresource'] === undefined;
  return isFormer ? { ...entry, manager: installFieldManager, operation: 'Apply' } : entry;
}

/** The merge patch that makes them ours; undefined where there is nothing to be made, or where the server would see two entries of one writer. */
function takeoverPatch(live: KubeObject, uid: string): JsonObject | undefined {
  const { managedFields = [], ownerReferences = [] } = live.metadata;
  const next = managedFields.map(asApplied);
  const ours = next.filter(({ manager, operation }) => manager === installFieldManager && operation === 'Apply');
  const isChanged = next.some((entry, index) => entry !== managedFields[index]);
  const isTheirs = ownerReferences.some((reference) => reference.uid === uid);
  if (!isTheirs || !isChanged || ours.length !== 1) return undefined;
  return { metadata: { ...preconditionOf(live), managedFields: next } };
}

interface Takeover {
  readonly kube: KubeClient;
  /** Of the BundleDeployment. */
  readonly uid: string;
  readonly signal: AbortSignal;
}

async function takeOver(ref: ObjectRef, { kube, uid, signal }: Takeover): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const patch = takeoverPatch(await kube.get(ref, { signal }), uid);
      if (patch !== undefined) await kube.patch(ref, patch, { fieldManager: installFieldManager, signal });
      return;
    } catch (thrown) {
      if (isNotFound(thrown)) return;
      if (!isConflict(thrown) || tries === maxTries) throw thrown;
    }
  }
}

function inventoryOf(refs: readonly ObjectRef[]): Inventory {
  const kinds = new Map(refs.map(({ apiVersion, kind }) => [`${kind}.${groupOf(apiVersion)}`, { apiVersion, kind }]));
  const namespaces = new Set(refs.flatMap(({ namespace }) => namespace ?? []));
  return {
    kinds: [...kinds.values()].map(({ apiVersion, kind }) => ({ group: groupOf(apiVersion), kind })),
    namespaces: [...namespaces],
  };
}

/** RukPak has its releases in the system namespace. */
function formerPlace(
  { kube, systemNamespace: namespace }: Pick<ProvisionerContext, 'kube' | 'systemNamespace'>,
  { metadata: { name = '' } }: KubeObject,
): ReleasePlace {
  return { kube, name, namespace };
}

/** The release of Helm that is installed under that name; undefined where there is none, or where it must not be read. */
async function findRelease(place: ReleasePlace, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return currentRelease(await listReleases(place, signal));
  } catch (thrown) {
    if (isForbidden(thrown)) return undefined;
    throw thrown;
  }
}

/** Whether a release of Helm is installed under that name. `kube` acts as whom objects are written by. */
export async function isReleased(place: ReleasePlace, signal: AbortSignal): Promise<boolean> {
  return (await findRelease(place, signal))?.metadata.labels?.['status'] === 'deployed';
}

function isOfRelease({ metadata }: KubeObject, { name, namespace }: ReleasePlace): boolean {
  const { annotations = {} } = metadata;
  return (
    annotations['meta.helm.sh/release-name'] === name && annotations['meta.helm.sh/release-namespace'] === namespace
  );
}

/** What is there, where helm has installed it for the release; undefined where something else is, or what must not be read. */
async function installedAs(ref: ObjectRef, place: ReleasePlace, signal: AbortSignal): Promise<JsonObject | undefined> {
  try {
    const live = await place.kube.get(ref, { signal });
    return isOfRelease(live, place) ? (live as unknown as JsonObject) : undefined;
  } catch (thrown) {
    if (isNotFound(thrown) || isForbidden(thrown)) return undefined;
    throw thrown;
  }
}

/** Everyone who may write Secrets in the namespace of a release decides what its record has: outside of that namespace what is there counts, and only with
 *  the marks of the release. */
async function confirmed(
  objects: readonly JsonObject[],
  place: ReleasePlace,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const { kube, namespace: systemNamespace } = place;
  const found = await mapLimit(objects, atATime, async (object): Promise<readonly JsonObject[]> => {
    const [ref] = await locate(placesOf([object]), { kube, systemNamespace });
    if (ref === undefined) return [];
    if (ref.namespace === place.namespace) return [object];
    const live = await installedAs(ref, place, signal);
    return live === undefined ? [] : [live];
  });
  return found.flat();
}

/** The objects of the release of Helm that is installed under that name; none where there is no such release, or where it cannot be read.
 *  `kube` acts as whom objects are written by. */
export async function releasedObjects(
  place: ReleasePlace,
  { releases }: Pick<Unpacker, 'releases'>,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const release = await findRelease(place, signal);
  const packed = release && (await packedRelease(place, release, signal));
  if (packed === undefined) return [];
  try {
    return await confirmed(await releases.objects(packed, { signal }), place, signal);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return [];
    throw thrown;
  }
}

/** When RukPak wrote the release that is deployed; undefined without one. */
export async function installedAtMs(
  context: Pick<ProvisionerContext, 'kube' | 'systemNamespace'>,
  deployment: KubeObject,
  signal: AbortSignal,
): Promise<number | undefined> {
  const release = currentRelease(await listReleases(formerPlace(context, deployment), signal));
  if (release?.metadata.labels?.['status'] !== 'deployed') return undefined;
  return Date.parse(release.metadata.creationTimestamp ?? '');
}

/** Where everything is that RukPak has installed for the deployment, by the Secret of its Helm release; whatever RukPak wrote into those objects counts
 *  as written by us from now on. Nothing else of them is changed. Undefined when there is no release; one that cannot be read is reported by an Event. */
export async function takeOverRelease(
  context: ProvisionerContext,
  deployment: KubeObject,
  signal: AbortSignal,
): Promise<Inventory | undefined> {
  const { kube, events, unpacker } = context;
  const { uid = '' } = deployment.metadata;
  const release = currentRelease(await listReleases(formerPlace(context, deployment), signal));
  const packed = release && (await packedRelease(context, release, signal));
  if (release === undefined || packed === undefined) return undefined;
  try {
    const refs = await locate(placesOf(await unpacker.releases.objects(packed, { signal })), context);
    await mapLimit(refs, atATime, (ref) => takeOver(ref, { kube, uid, signal }));
    const message = `Took over ${refs.length} objects of the release in Secret "${release.metadata.name ?? ''}"`;
    events.record(deployment, { type: 'Normal', reason: 'ReleaseTakenOver', message });
    return inventoryOf(refs);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const message = `What an earlier release installed and this version does not is not known, and stays: ${thrown.message}`;
    events.record(deployment, { type: 'Warning', reason: 'ReleaseUnreadable', message });
    return undefined;
  }
}
