import { type ClusterCatalog, parseImageReference } from '../../api/index.ts';
import { formatTimestamp, TerminalError, TransientError } from '../../base/index.ts';
import { whileSourcing } from '../catalog-content/unpack-catalog.ts';
import { contentFault, type RegistryTerms } from '../catalog-content/unpack-job.ts';
import type { CatalogContext } from './context.ts';
import { askedRefOf, blocked, pollOf } from './plan.ts';

interface UnpackRequest {
  readonly catalog: ClusterCatalog;
  readonly ref: string;
  readonly askedRef: string;
  readonly isKnown: boolean;
  readonly terms: RegistryTerms;
}

async function unpack(context: CatalogContext, request: UnpackRequest, signal: AbortSignal): Promise<void> {
  const { store, settings, clock, faulty, log, metrics } = context;
  const { catalog, ref, askedRef, isKnown, terms } = request;
  const { name, uid = '' } = catalog.metadata;
  const known = faulty.get(name);
  if (known?.ref === ref) throw known.error;
  const startedMs = clock.now();
  const { workDir, file } = await store.prepare(name);
  try {
    const group = parseImageReference(ref).registry;
    const unpacked = await context.unpack({ ...terms, settings, group, ref, askedRef, isKnown, workDir, file }, signal);
    signal.throwIfAborted();
    await store.commit(name, file, { ...unpacked, uid, ref, unpackedAt: formatTimestamp(clock.now()) });
    faulty.delete(name);
    metrics?.add('longshore_catalog_unpacks_total', { result: 'done' });
    metrics?.time('longshore_catalog_unpack_duration_seconds', {}, Math.max(0, clock.now() - startedMs));
    const { packageCount, lengthBytes } = unpacked;
    log.info({ catalog: name, ref, packageCount, lengthBytes }, 'catalog unpacked');
  } catch (thrown) {
    metrics?.add('longshore_catalog_unpacks_total', { result: 'failed' });
    const isFault = thrown instanceof TerminalError && thrown.reason === contentFault;
    if (isFault) faulty.set(name, { ref, error: thrown });
    await store.leave(name);
    throw thrown;
  }
}

/** That an image by digest has no label can never change. */
function blockedWhenFinal(askedRef: string, thrown: unknown): unknown {
  const isFinal = thrown instanceof TerminalError && thrown.reason === 'LabelMissing';
  if (!isFinal || parseImageReference(askedRef).digest === undefined) return thrown;
  return new TerminalError(blocked, thrown.message.replace(/^source catalog content: /, ''), { cause: thrown });
}

/** Resolves the catalog's reference, and unpacks the image if it changed.
 *  @throws TerminalError Blocked when nothing but another spec helps, CatalogContentFault, those of fetching · TransientError */
export async function pollImage(context: CatalogContext, catalog: ClusterCatalog, signal: AbortSignal): Promise<void> {
  const { store, polls, clock, metrics } = context;
  const { name, uid } = catalog.metadata;
  const askedRef = askedRefOf(catalog);
  const count = (result: string): void => metrics?.add('longshore_catalog_polls_total', { result });
  try {
    const terms = await whileSourcing(() => context.readTerms(signal));
    const ref = await whileSourcing(() => context.pin(askedRef, terms, signal));
    const stored = store.find(name);
    const isSame = stored?.uid === uid && stored?.ref === ref;
    if (!isSame) await unpack(context, { catalog, ref, askedRef, isKnown: false, terms }, signal);
    polls.set(name, pollOf(catalog, clock.now()));
    count(isSame ? 'unchanged' : 'changed');
  } catch (thrown) {
    if (!signal.aborted) count('failed');
    throw blockedWhenFinal(askedRef, thrown);
  }
}

/** Makes `ref`, by digest, the catalog's content: it was served before, or is by another process.
 *  @throws as `pollImage`, but for Blocked */
export async function restoreContent(
  context: CatalogContext,
  catalog: ClusterCatalog,
  { ref, signal }: { readonly ref: string; readonly signal: AbortSignal },
): Promise<void> {
  const askedRef = catalog.spec.source.image?.ref ?? ref;
  const terms = await whileSourcing(() => context.readTerms(signal));
  await unpack(context, { catalog, ref, askedRef, isKnown: true, terms }, signal);
}

/** The same; if that image is not available any more, polls the catalog's reference. */
export async function restoreOrPoll(
  context: CatalogContext,
  catalog: ClusterCatalog,
  { ref, signal }: { readonly ref: string; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await restoreContent(context, catalog, { ref, signal });
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof TerminalError || thrown instanceof TransientError)) throw thrown;
    context.log.warn({ catalog: catalog.metadata.name, ref, message: thrown.message }, 'content not restored');
    await pollImage(context, catalog, signal);
  }
}
