import { type CatalogSource, catalogSourceResource, olmFieldManager } from '../../api/index.ts';
import { formatTimestamp, isJsonObject, sha256Digest, TerminalError, TransientError } from '../../base/index.ts';
import { isNotFound, type KubeObject, preconditionOf, refOf } from '../../kube/index.ts';
import { readPullSecrets } from '../catalog-content/pull-secrets.ts';
import { contentFault, type UnpackedCatalog } from '../catalog-content/unpack-job.ts';
import type { CatalogSourceContext, Progress } from './context.ts';
import { type Origin, originText } from './origin.ts';
import { assertStoreRoom } from './store-room.ts';

/** `status.reason` of a ConfigMap that cannot be used.
 *  @see docs/spec/olm-v0.md#catalogsource-reconcile */
export const configMapError = 'ConfigMapError';

/** A CatalogSource whose content is read. */
export interface Reading {
  readonly context: CatalogSourceContext;
  readonly source: CatalogSource;
  readonly progress: Progress;
  readonly origin: Origin;
  readonly signal: AbortSignal;
}

/** Makes the index of the content in a file. */
type MakeIndex = (place: { readonly workDir: string; readonly file: string }) => Promise<UnpackedCatalog>;

async function assertRoom({ context, source }: Reading): Promise<void> {
  const { store, sources, maxStoreBytes, globalNamespace } = context;
  const { namespace = '' } = source.metadata;
  const sizeOf = async (place: string): Promise<number> =>
    await store.sizeBytes(new Set(sources.inNamespace(place).map(({ metadata }) => metadata.uid ?? '')));
  const all = await store.sizeBytes();
  const use = { all, tenants: all - (await sizeOf(globalNamespace)), namespace: await sizeOf(namespace) };
  assertStoreRoom(use, maxStoreBytes, { namespace, isGlobal: namespace === globalNamespace });
}

/** Makes the index of new content and stores it, unless the same is stored. */
async function replace(reading: Reading, ref: string, makeIndex: MakeIndex): Promise<void> {
  const { context, source, progress, origin, signal } = reading;
  const { name, namespace, uid = '' } = source.metadata;
  const place = await context.store.prepare(uid);
  const unpacked = await makeIndex(place);
  signal.throwIfAborted();
  const unpackedAt = formatTimestamp(context.clock.now());
  const record = { ...unpacked, uid, ref, askedRef: originText(origin), unpackedAt };
  // The same from another place, or from a registry that was connected to again: those who read it need not notice.
  if (context.store.find(uid)?.digest === unpacked.digest) await context.store.amend(uid, record);
  else await context.store.commit(uid, place.file, record);
  progress.snapshots = (progress.snapshots ?? 0) + 1;
  const { packageCount, lengthBytes } = unpacked;
  context.log.info({ catalog: `${namespace}/${name}`, ref, packageCount, lengthBytes }, 'catalog read');
}

/** Stores the content that `ref` identifies, unless it is stored already. */
async function store(reading: Reading, ref: string, makeIndex: MakeIndex): Promise<void> {
  const { context, source, progress, origin } = reading;
  const { uid = '' } = source.metadata;
  const stored = context.store.find(uid);
  if (stored?.ref === ref) {
    const askedRef = originText(origin);
    if (stored.askedRef !== askedRef) await context.store.amend(uid, { ...stored, askedRef });
    return;
  }
  if (progress.fault?.ref === ref) throw progress.fault.error;
  await assertRoom(reading);
  try {
    await replace(reading, ref, makeIndex);
    delete progress.fault;
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === contentFault) progress.fault = { ref, error: thrown };
    await context.store.leave(uid);
    throw thrown;
  }
}

async function readImage(reading: Reading, image: string, directory: string | undefined): Promise<void> {
  const { context, source, signal } = reading;
  const { namespace = '' } = source.metadata;
  const pullSecrets = await readPullSecrets(context.kube, { namespace, names: source.spec.secrets ?? [] }, signal);
  const terms = { ...(await context.readTerms(signal)), pullSecrets };
  const ref = await context.pin(image, terms, signal);
  const { settings } = context;
  const identity = directory === undefined ? ref : `${ref} ${directory}`;
  await store(reading, identity, (place) =>
    context.readers.image(
      { ...terms, ...place, settings, group: namespace, ref, askedRef: image, isKnown: false, directory },
      signal,
    ),
  );
}

/** What a registry serves has no name of its own: it is read each time, and replaced even if it is the same. */
async function readAddress(reading: Reading, address: string): Promise<void> {
  const { context, progress, source, signal } = reading;
  const epoch = context.connections.get(source.metadata.uid ?? '')?.epoch;
  const { settings, clock } = context;
  const { namespace: group = '' } = source.metadata;
  await store(reading, `grpc://${address}#${clock.now()}-${epoch ?? 0}`, ({ file }) =>
    context.readers.address({ settings, group, address, file }, signal),
  );
  if (epoch !== undefined) progress.epoch = epoch;
}

function textsOf(data: unknown): Record<string, string> {
  const entries = isJsonObject(data) ? Object.entries(data) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** The ConfigMap is deleted with the CatalogSource. That is why it has to hold a catalog before it is marked: others could use this to have any ConfigMap
 *  deleted. */
async function own(reading: Reading, configMap: KubeObject): Promise<KubeObject> {
  const { context, source, signal } = reading;
  const { name, uid = '' } = source.metadata;
  const owners = configMap.metadata.ownerReferences ?? [];
  if (!context.isLeading() || owners.some((owner) => owner.uid === uid)) return configMap;
  const { apiVersion, kind } = catalogSourceResource;
  const reference = { apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: false };
  const ownerReferences = [...owners.map((owner) => ({ ...owner })), reference];
  const metadata = { ...preconditionOf(configMap), ownerReferences };
  const options = { fieldManager: olmFieldManager, signal };
  return await context.kube.patch(refOf(configMap), { metadata }, options);
}

async function fetchConfigMap({ context, source, signal }: Reading, name: string): Promise<KubeObject> {
  const { namespace = '' } = source.metadata;
  try {
    return await context.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name }, { signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    throw new TransientError(configMapError, missingConfigMap(name), { cause: thrown });
  }
}

/** The message for a ConfigMap that does not exist. */
export function missingConfigMap(name: string): string {
  return `failed to get catalog config map ${name}: configmaps "${name}" not found`;
}

async function readConfigMap(reading: Reading, name: string): Promise<void> {
  const { context, progress, source, signal } = reading;
  const found = await fetchConfigMap(reading, name);
  const data = textsOf(found['data']);
  const sorted = Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const ref = `configmap ${name}@${sha256Digest(Buffer.from(JSON.stringify(sorted)))}`;
  const { settings } = context;
  const { namespace: group = '' } = source.metadata;
  await store(reading, ref, ({ file }) =>
    context.readers.configMap({ settings, group, configMap: `${group}/${name}`, data, file }, signal),
  );
  const { uid = '', resourceVersion = '' } = (await own(reading, found)).metadata;
  progress.configMap = { uid, resourceVersion };
}

/** Reads the content of a CatalogSource and stores it, if it is not the one that is stored.
 *  @throws TerminalError CatalogContentFault, those of the sources · TransientError StoreFull, ConfigMapError, those of the sources */
export async function readContent(reading: Reading): Promise<void> {
  const { origin, progress, context } = reading;
  if (origin.kind === 'image') await readImage(reading, origin.image, origin.directory);
  else if (origin.kind === 'address') await readAddress(reading, origin.address);
  else await readConfigMap(reading, origin.name);
  progress.polledMs = context.clock.now();
}
