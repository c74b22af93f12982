import { type ClusterServiceVersion, olmFieldManager } from '../../../api/index.ts';
import {
  isNotFound,
  type KindCache,
  type KubeObject,
  KubeRejection,
  preconditionOf,
  refOf,
} from '../../../kube/index.ts';
import { ensureOwned } from '../../owned-objects.ts';
import type { ServingContext } from './context.ts';
import { ensureConversion } from './conversions.ts';
import { cacheOf, configurationsOf, desiredConfiguration, namespaceSelector, type ServedWebhook } from './webhooks.ts';

/** Deletes an object as it was read; that it was deleted before is no error. */
export async function deleteObject(
  { kube }: Pick<ServingContext, 'kube'>,
  object: KubeObject,
  signal: AbortSignal | undefined,
): Promise<KubeObject | undefined> {
  try {
    return await kube.delete(refOf(object), { ...preconditionOf(object), signal });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return undefined;
  }
}

const generatedEnd = /^[a-z0-9]{5}(?![a-z0-9])/;

/** A refusal without the end of the name that the API server made up for this try: with it, each would be another failure. */
function withoutGeneratedName(thrown: unknown, prefix: string): unknown {
  if (!(thrown instanceof KubeRejection)) return thrown;
  const [first = '', ...rest] = thrown.failure.message.split(prefix);
  const message = [first, ...rest.map((text) => text.replace(generatedEnd, ''))].join(prefix);
  return new KubeRejection({ ...thrown.failure, message }, { cause: thrown });
}

async function create(
  { kube }: ServingContext,
  desired: KubeObject,
  signal: AbortSignal | undefined,
): Promise<KubeObject> {
  try {
    return await kube.create(desired, { fieldManager: olmFieldManager, signal });
  } catch (thrown) {
    throw withoutGeneratedName(thrown, desired.metadata.generateName ?? '');
  }
}

async function ensureConfiguration(
  context: ServingContext,
  csv: ClusterServiceVersion,
  {
    cache,
    webhook,
    signal,
  }: {
    readonly cache: KindCache;
    readonly webhook: ServedWebhook;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { kube } = context;
  const desired = desiredConfiguration(csv, webhook, namespaceSelector(context, csv));
  const [first, ...others] = configurationsOf(cache, csv, webhook.description);
  if (first === undefined) {
    cache.wrote(await create(context, desired, signal));
    return;
  }
  const named = { ...desired, metadata: { ...desired.metadata, name: first.metadata.name ?? '' } };
  const isOwn = ({ metadata }: KubeObject): boolean => metadata.uid === first.metadata.uid;
  await ensureOwned(named, { kube, cache, fieldManager: olmFieldManager, isOwn, signal });
  for (const other of others) await deleteObject(context, other, signal);
}

/** Ensures that the API server calls a webhook of the operator.
 *  @throws TerminalError InstallComponentFailed when it may not convert a definition */
export async function ensureWebhook(
  context: ServingContext,
  csv: ClusterServiceVersion,
  { webhook, signal }: { readonly webhook: ServedWebhook; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const cache = cacheOf(context, webhook.description);
  if (cache === undefined) await ensureConversion(context, csv, { webhook, signal });
  else await ensureConfiguration(context, csv, { cache, webhook, signal });
}
