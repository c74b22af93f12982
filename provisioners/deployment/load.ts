import { parseBundle } from '../../src/api/index.ts';
import { clientFor } from '../../src/apply/index.ts';
import { TransientError, traced } from '../../src/base/index.ts';
import {
  formatOf,
  type ReleaseFacts,
  type Rendered,
  type RenderedHook,
  retainRandomValues,
} from '../../src/formats/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { withoutDefinitionsOfOthers } from '../chart-definitions.ts';
import { noReferredValues, type ReferredValues, readReferredValues, referredObjects } from '../chart-values.ts';
import { releasedObjects } from '../helm-release.ts';
import { actingOwnerOf, configOf } from '../installed-record.ts';
import { type Rendition, termsFor } from '../rendition.ts';
import {
  dropRenditions,
  type RenditionShelf,
  readInstalledRendition,
  readRendition,
  renditionKey,
  storeRendition,
} from '../stored-renditions.ts';
import type { LoadedContent, LoadRequest } from '../unpacker/index.ts';
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
  readonly hooks?: readonly RenderedHook[] | undefined;
  /** Of charts. */
  readonly release?: ReleaseFacts | undefined;
  /** Under which the rendition is stored, for formats with releases. */
  readonly renditionKey?: string;
}

function shelfOf({ context, object }: DeploymentRun, signal: AbortSignal): RenditionShelf {
  const { kube, systemNamespace } = context;
  return { kube, systemNamespace, deployment: object, signal };
}

/** A new rendering with the random passwords that are installed, by Longshore or by Helm. */
async function withInstalledRandoms(
  run: DeploymentRun,
  { request, rendered }: { readonly request: LoadRequest; readonly rendered: LoadedContent },
  signal: AbortSignal,
): Promise<LoadedContent> {
  const { release } = request.terms;
  if (release === undefined) return rendered;
  const kube = clientFor(run.context.kube, actingOwnerOf(run.object));
  const stored = await readInstalledRendition(shelfOf(run, signal));
  const before = stored?.objects ?? (await releasedObjects(kube, release, signal));
  if (before.length === 0) return rendered;
  const repeated = { ...request, terms: { ...request.terms, release: { ...release, isRepeated: true } } };
  const again = await run.context.unpacker.load(repeated, { signal });
  const retained: Rendered = retainRandomValues(rendered, again, before);
  return { ...rendered, ...retained };
}

/** What a release was rendered to before, where that must not change; else what it is rendered to now. */
async function renderOnce(
  run: DeploymentRun,
  request: LoadRequest,
  signal: AbortSignal,
): Promise<LoadedContent & Pick<LoadedRendition, 'renditionKey'>> {
  const { unpacker, events } = run.context;
  const digest = request.expectedDigest ?? (await unpacker.find(request.bundle))?.digest;
  const key = renditionKey(digest ?? '', request.terms);
  const stored = digest === undefined ? undefined : await readRendition(shelfOf(run, signal), key);
  if (stored !== undefined && digest !== undefined) return { ...stored, digest, renditionKey: key };
  const loaded = await unpacker.load(request, { signal });
  if (loaded.isUnsteady !== true) return { ...loaded, renditionKey: key };
  const rendered = await withInstalledRandoms(run, { request, rendered: loaded }, signal);
  const ownKey = renditionKey(rendered.digest, request.terms);
  if (!(await storeRendition(shelfOf(run, signal), ownKey, rendered))) {
    const message =
      'The chart renders to something else each time, and to too much to be stored: it changes with each restart';
    events.record(run.object, { type: 'Warning', reason: 'RenditionTooLarge', message });
  }
  return { ...rendered, renditionKey: ownKey };
}

/** Forgets what other versions of a release were rendered to. */
export async function dropOtherRenditions(
  run: DeploymentRun,
  { renditionKey: key }: LoadedRendition,
  signal: AbortSignal,
): Promise<void> {
  if (key !== undefined) await dropRenditions(shelfOf(run, signal), key);
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
  const rendered: LoadedContent & Pick<LoadedRendition, 'renditionKey'> = await traced(
    { name: 'load content', attributes: { 'longshore.object': name } },
    () =>
      countLoad(
        run,
        terms.release === undefined ? unpacker.load(request, { signal }) : renderOnce(run, request, signal),
      ),
  );
  const owner = actingOwnerOf(run.object);
  const isFirst = recordOf(run).installation === 'NotStarted';
  const existing = { kube: clientFor(kube, owner), isFirst, signal };
  const { definitions } = rendered;
  const installed = await withoutDefinitionsOfOthers(
    { objects: rendered.objects as unknown as KubeObject[], definitions },
    { kube, deployment: run.object, signal },
  );
  const objects = await servingCertificates.complete(owner.name, [...installed], existing);
  return { ...rendered, objects, contentDigest: rendered.digest };
}
