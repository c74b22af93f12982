import { parseBundle } from '../../src/api/index.ts';
import { clientFor } from '../../src/apply/index.ts';
import { TransientError, traced } from '../../src/base/index.ts';
import { formatOf } from '../../src/formats/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { noReferredValues, type ReferredValues, readReferredValues, referredObjects } from '../chart-values.ts';
import { actingOwnerOf, configOf } from '../installed-record.ts';
import { type Rendition, termsFor } from '../rendition.ts';
import { type DeploymentRun, recordOf } from './run.ts';

/** Whether the content is not stored, or not any more: it is fetched again. */
export function isContentLost(thrown: unknown): boolean {
  return thrown instanceof TransientError && thrown.reason === 'ContentLost';
}

async function countLoad<T>({ context: { metrics } }: DeploymentRun, loading: Promise<T>): Promise<T> {
  try {
    const loaded = await loading;
    metrics?.add('longshore_content_loads_total', { result: 'stored' });
    return loaded;
  } catch (thrown) {
    metrics?.add('longshore_content_loads_total', { result: isContentLost(thrown) ? 'lost' : 'failed' });
    throw thrown;
  }
}

/** Reads what `valuesFrom` of the deployment refers to, and follows it from now on. Nothing for formats without releases.
 *  @throws TransientError ValuesUnavailable · TerminalError RenderFailed for the configuration */
export async function readValues(
  { context, object }: Pick<DeploymentRun, 'context' | 'object'>,
  bundle: KubeObject,
  { signal, isFollowed }: { readonly signal: AbortSignal; readonly isFollowed: boolean },
): Promise<ReferredValues> {
  const { kube: platform, systemNamespace, valuesWatches } = context;
  if (formatOf(parseBundle(bundle).spec.provisionerClassName).hasReleases !== true) return noReferredValues;
  const config = configOf(object);
  const owner = actingOwnerOf(object);
  const kube = clientFor(platform, owner);
  if (isFollowed) {
    const refs = referredObjects(config, systemNamespace);
    const { namespace = '', name = '' } = owner.account ?? {};
    valuesWatches.follow({ deployment: owner.name, refs, kube, actor: `${namespace}/${name}` });
  }
  return await readReferredValues(config, { kube, systemNamespace, signal });
}

/** What is installed of a Bundle. */
export interface LoadedRendition extends Rendition {
  /** Of the content that the objects were rendered from. */
  readonly contentDigest: string;
}

/** The objects of a Bundle with the configuration of the deployment. */
export async function load(run: DeploymentRun, bundle: KubeObject, signal: AbortSignal): Promise<LoadedRendition> {
  const { kube, unpacker, servingCertificates, systemNamespace } = run.context;
  const { name = '', uid = '' } = bundle.metadata;
  const { provisionerClassName } = parseBundle(bundle).spec;
  const reading = { kube, systemNamespace, values: run.values, signal };
  const terms = await termsFor(run.object, provisionerClassName, reading);
  const expectedDigest = recordOf(run).bundles.find((entry) => entry.uid === uid)?.contentDigest;
  const request = { bundle: { name, uid }, provisionerClassName, terms, expectedDigest };
  const rendered = await traced({ name: 'load content', attributes: { 'longshore.object': name } }, () =>
    countLoad(run, unpacker.load(request, { signal })),
  );
  const owner = actingOwnerOf(run.object);
  const isFirst = recordOf(run).installation === 'NotStarted';
  const existing = { kube: clientFor(kube, owner), isFirst, signal };
  const objects = await servingCertificates.complete(owner.name, rendered.objects as unknown as KubeObject[], existing);
  return { ...rendered, objects, contentDigest: rendered.digest };
}
