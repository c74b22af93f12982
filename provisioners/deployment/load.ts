import { parseBundle } from '../../src/api/index.ts';
import { clientFor } from '../../src/apply/index.ts';
import { TransientError, traced } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { actingOwnerOf } from '../installed-record.ts';
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

/** What is installed of a Bundle. */
export interface LoadedRendition extends Rendition {
  /** Of the content that the objects were rendered from. */
  readonly contentDigest: string;
}

/** The objects of a Bundle with the configuration of the deployment. */
export async function load(run: DeploymentRun, bundle: KubeObject, signal: AbortSignal): Promise<LoadedRendition> {
  const { kube, unpacker, servingCertificates } = run.context;
  const { name = '', uid = '' } = bundle.metadata;
  const { provisionerClassName } = parseBundle(bundle).spec;
  const terms = await termsFor(run.object, provisionerClassName, { kube, signal });
  const expectedDigest = recordOf(run).bundles.find((entry) => entry.uid === uid)?.contentDigest;
  const request = { bundle: { name, uid }, provisionerClassName, terms, expectedDigest };
  const rendered = await traced({ name: 'load content', attributes: { 'longshore.object': name } }, () =>
    countLoad(run, unpacker.load(request, { signal })),
  );
  const owner = actingOwnerOf(run.object);
  const isFirst = recordOf(run).installation === 'NotStarted';
  const reading = { kube: clientFor(kube, owner), isFirst, signal };
  const objects = await servingCertificates.complete(owner.name, rendered.objects as unknown as KubeObject[], reading);
  return { ...rendered, objects, contentDigest: rendered.digest };
}
