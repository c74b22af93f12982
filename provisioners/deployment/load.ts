import { parseBundle } from '../../src/api/index.ts';
import { clientFor } from '../../src/apply/index.ts';
import { type JsonObject, TransientError, traced } from '../../src/base/index.ts';
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
import { conceal } from '../concealed-values.ts';
import { releasedObjects } from '../helm-release.ts';
import { actingOwnerOf, configOf } from '../installed-record.ts';
import { type Rendition, termsFor } from '../rendition.ts';
import {
  noteInstalledRendition,
  type RenditionShelf,
  readInstalledRendition,
  readRendition,
  renditionKey,
  storeRendition,
} from '../stored-renditions.ts';
import type { LoadedContent, LoadRequest } from '../unpacker/index.ts';
import { activeOf, type DeploymentRun, recordOf } from './run.ts';

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

/** What is installed of a release whose chart renders to something else each time, by Longshore or by Helm; none of others. */
async function installedObjects(
  run: DeploymentRun,
  { terms: { release } }: LoadRequest,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  if (release === undefined) return [];
  const stored = await readInstalledRendition(shelfOf(run, signal));
  if (stored !== undefined) return stored.objects;
  if (activeOf(run) !== '') return [];
  const { kube, unpacker } = run.context;
  const { name, namespace } = release;
  const place = { kube: clientFor(kube, actingOwnerOf(run.object)), name, namespace };
  return await releasedObjects(place, unpacker, signal);
}

/** A new rendering, in which random passwords are those that are installed. */
async function renderAgain(run: DeploymentRun, request: LoadRequest, signal: AbortSignal): Promise<LoadedContent> {
  const { unpacker } = run.context;
  const { release } = request.terms;
  const objects = await installedObjects(run, request, signal);
  if (release === undefined || objects.length === 0) return await unpacker.load(request, { signal });
  const requestWith = (isRepeated: boolean): LoadRequest => ({
    ...request,
    terms: { ...request.terms, release: { ...release, objects, isRepeated } },
  });
  const rendered = await unpacker.load(requestWith(false), { signal });
  if (rendered.isUnsteady !== true) return rendered;
  const again = await unpacker.load(requestWith(true), { signal });
  const retained: Rendered = retainRandomValues(rendered, again, objects);
  return { ...rendered, ...retained };
}

/** What a release was rendered to before, where that must not change; else what it is rendered to now.
 *  @throws WaitingError OtherChartsFirst */
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
  using turn = run.hooks.charts.begin(run.object.metadata.name ?? '');
  const rendered = await renderAgain(run, request, AbortSignal.any([signal, turn.signal]));
  if (rendered.isUnsteady !== true) return { ...rendered, renditionKey: key };
  const ownKey = renditionKey(rendered.digest, request.terms);
  if (!(await storeRendition(shelfOf(run, signal), ownKey, rendered))) {
    const message =
      'The chart renders to something else each time, and to too much to be stored: it changes with each restart';
    events.record(run.object, { type: 'Warning', reason: 'RenditionTooLarge', message });
  }
  return { ...rendered, renditionKey: ownKey };
}

/** Notes which version of a release is installed; what versions long before it were rendered to is forgotten. */
export async function noteRendition(
  run: DeploymentRun,
  { renditionKey: key }: LoadedRendition,
  signal: AbortSignal,
): Promise<void> {
  if (key !== undefined) await noteInstalledRendition(shelfOf(run, signal), key, run.context.clock.now());
}

/** The objects of a Bundle with the configuration of the deployment. What fails shows no values of Secrets. */
export async function load(run: DeploymentRun, bundle: KubeObject, signal: AbortSignal): Promise<LoadedRendition> {
  try {
    return await loadContent(run, bundle, signal);
  } catch (thrown) {
    conceal(thrown, run.values?.secrets);
    throw thrown;
  }
}

async function loadContent(run: DeploymentRun, bundle: KubeObject, signal: AbortSignal): Promise<LoadedRendition> {
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
