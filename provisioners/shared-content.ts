import { bundleResource, parseBundle, storedContentAnnotation } from '../src/api/index.ts';
import { errorMessage, type Logger, TransientError, withDeadline } from '../src/base/index.ts';
import { type KubeClient, type KubeObject, refOf } from '../src/kube/index.ts';
import { contentFieldManager } from './bundle-properties.ts';
import type { ProvisionerContext } from './context.ts';
import type { BundleIdentity, SharedContents, UnpackedContent, Unpacker } from './unpacker/index.ts';

/** A deletion in a registry is not waited for any longer. */
const removalDeadlineMs = 20_000;

type Context = Pick<ProvisionerContext, 'unpacker'>;

/** Where the annotation of the Bundle locates its content, or its upload, outside this process; undefined when that is nowhere, or in a
 *  repository that is not used any more. */
export function sharedPlaceOf({ unpacker }: Context, { metadata }: KubeObject): string | undefined {
  const place = metadata.annotations?.[storedContentAnnotation];
  return unpacker.shared?.has(place) === true ? place : undefined;
}

/** Whether content that is stored here is still to be kept in the shared store. */
export function isUnshared({ unpacker }: Context, { isEvicted, storedAt }: UnpackedContent): boolean {
  return unpacker.shared?.has(storedAt) === false && !isEvicted;
}

/** Whether the Bundle was unpacked, and the shared store has its content. */
export function isShelved(context: Context, object: KubeObject): boolean {
  return parseBundle(object).status?.phase === 'Unpacked' && sharedPlaceOf(context, object) !== undefined;
}

/** Notes on a Bundle where something of it is kept. Returns it as it is then. */
export async function noteStored(
  kube: KubeClient,
  bundle: KubeObject,
  { storedAt, signal }: { readonly storedAt: string | undefined; readonly signal: AbortSignal },
): Promise<KubeObject> {
  if (storedAt === undefined || bundle.metadata.annotations?.[storedContentAnnotation] === storedAt) return bundle;
  const patch = { metadata: { uid: bundle.metadata.uid ?? '', annotations: { [storedContentAnnotation]: storedAt } } };
  return await kube.patch(refOf(bundle), patch, { fieldManager: contentFieldManager, signal });
}

/** What the shared store could do for a Bundle whose content is requested. */
export interface SharedHelp {
  /** The content is here now, and there. */
  readonly isDone: boolean;
  /** Why it could not be brought back. */
  readonly problem?: TransientError;
}

/** Brings the content of a Bundle back from the shared store where it is not here, and takes it there where it is. */
export async function askShared(
  context: Context,
  object: KubeObject,
  work: { readonly local: UnpackedContent | undefined; readonly signal: AbortSignal; readonly log: Logger },
): Promise<SharedHelp> {
  const { shared } = context.unpacker;
  const { local, signal, log } = work;
  if (shared === undefined) return { isDone: false };
  const storedAt = sharedPlaceOf(context, object);
  if (local !== undefined && isUnshared(context, local)) {
    const bundle = bundleOf(object);
    return { isDone: (await shared.share(bundle, { replaced: storedAt, signal })) !== undefined };
  }
  const isHere = local?.isEvicted === false;
  return isHere || storedAt === undefined
    ? { isDone: false }
    : await bringBack(shared, bundleOf(object), { storedAt, expectedDigest: local?.digest, signal, log });
}

function bundleOf({ metadata: { name = '', uid = '' } }: KubeObject): BundleIdentity {
  return { name, uid };
}

async function bringBack(
  shared: SharedContents,
  bundle: BundleIdentity,
  work: {
    readonly storedAt: string;
    readonly expectedDigest: string | undefined;
    readonly signal: AbortSignal;
    readonly log: Logger;
  },
): Promise<SharedHelp> {
  const { storedAt, signal, log } = work;
  try {
    const found = await shared.restore(bundle, work, { signal });
    if (found !== undefined) log.info({ storedAt }, 'content brought back from the content store');
    return { isDone: found !== undefined };
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof TransientError)) throw thrown;
    log.warn({ storedAt, message: thrown.message }, 'content not brought back from the content store');
    return { isDone: false, problem: thrown };
  }
}

/** Forgets what is kept for a Bundle. A registry that does not answer, or deletes nothing, delays nothing: what stays is looked for
 *  again when the provisioners start. */
export async function forgetShared(
  { unpacker: { shared } }: { readonly unpacker: Pick<Unpacker, 'shared'> },
  uid: string,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<void> {
  if (shared === undefined) return;
  const deadline = { deadlineMs: removalDeadlineMs, signal };
  try {
    const message = await withDeadline('delete content', deadline, (until) => shared.unshare(uid, { signal: until }));
    if (message !== undefined) log.warn({ message }, 'content stays in the content store');
  } catch (thrown) {
    signal.throwIfAborted();
    log.warn({ message: errorMessage(thrown) }, 'content stays in the content store until the next start');
  }
}

/** Forgets what is kept for Bundles that have gone, of all that the cluster has. */
export async function sweepShared({
  unpacker,
  kube,
  log,
  signal,
}: {
  readonly unpacker: Pick<Unpacker, 'shared'>;
  readonly kube: KubeClient;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { shared } = unpacker;
  if (shared === undefined) return;
  try {
    // First what is kept: a Bundle that comes in between has nothing there yet.
    const uids = await shared.uids({ signal });
    const { items } = await kube.list({ ...bundleResource, isMetadataOnly: true }, { signal });
    const owned = new Set(items.map(({ metadata }) => metadata.uid));
    for (const uid of uids) if (!owned.has(uid)) await forgetShared({ unpacker }, uid, { signal, log });
  } catch (thrown) {
    if (signal.aborted) return;
    log.warn({ message: errorMessage(thrown) }, 'contents of Bundles that have gone stay in the content store');
  }
}
