import { type ImageReference, parseImageReference } from '../api/index.ts';
import { type Clock, defaultContentLimits, mapLimit, objectAt, TerminalError, TransientError } from '../base/index.ts';
import { type Staging, takesDirectory } from '../content/index.ts';
import type { ImagePolicy, ImageRule } from '../image-policy/index.ts';
import { fetchBlob } from './blob-transfer.ts';
import { addLabelledAnnotations, type BundleLabels, labelsOf, lacksAnnotations } from './bundle-labels.ts';
import type { Descriptor } from './descriptor.ts';
import type { HttpClient } from './http-client.ts';
import { fetchImageConfig } from './image-config.ts';
import { findDirectory, moveToDirectory, type NamedDirectory, readDirectory } from './image-directory.ts';
import type { ChartLayers, Layer } from './image-layers.ts';
import { type Platform, parseImageDocument } from './image-manifest.ts';
import { assertAllowed, assertSigned } from './image-permission.ts';
import type { LayerCache } from './layer-cache.ts';
import { addLayer } from './layer-content.ts';
import { fetchManifest } from './manifest-fetch.ts';
import { type FoundCredentials, findCredentials, openKeyring, type PullSecrets } from './pull-credentials.ts';
import type { RateLimits } from './rate-limits.ts';
import { RegistryClient } from './registry-client.ts';
import { type PullPlace, pullPlaces, type RegistryMirror } from './registry-mirrors.ts';
import { type OpenPlace, RegistryPlaces } from './registry-places.ts';
import type { ContentSource, FetchOptions } from './source.ts';

const maxIndexDepth = 3;
const layersAtATime = 3;
const maxLayers = 1000;

/** Reason of the error for a tag that does not exist yet; its message is the one that Kubernetes users know for it. */
export const imagePullBackOff = 'ImagePullBackOff';

export interface ImageSourceDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly cache: LayerCache;
  readonly limits: RateLimits;
  readonly insecureRegistries: readonly string[];
  readonly platform: Platform;
}

/** What it takes to ask registries. */
type RegistryDeps = Omit<ImageSourceDeps, 'cache'>;

export interface ImageRequest {
  readonly source: ContentSource;
  readonly pullSecrets?: PullSecrets | undefined;
  /** For the image's own registry, in place of pull secrets. */
  readonly credentials?: FoundCredentials | undefined;
  readonly mirrors?: readonly RegistryMirror[] | undefined;
  /** Which images may be used; any without it. */
  readonly policy?: ImagePolicy | undefined;
  /** By which the image was asked for at first, when `source` is what became of that. */
  readonly firstRef?: string | undefined;
  /** The content is known to be what was allowed before, and is compared with that. */
  readonly isKnown?: boolean | undefined;
  /** The image may hold an operator (registry+v1): its labels fill in what `metadata/annotations.yaml` lacks. Asks for nothing more otherwise. */
  readonly isOperator?: boolean | undefined;
  /** It may be a chart as `helm push` writes it; such artifacts are refused otherwise. */
  readonly isChart?: boolean | undefined;
  /** A label of the image that names a directory: only what lies in it is taken, as if the directory were the root. */
  readonly directoryLabel?: string | undefined;
  /** That directory itself. */
  readonly directory?: string | undefined;
  /** Which files of the layers are taken, as `extractArchive` has it; all when absent. */
  readonly takes?: ((path: readonly string[]) => boolean) | undefined;
  readonly staging: Staging;
}

/** What it takes to find out what a reference stands for. */
interface Search extends FetchOptions {
  readonly deps: RegistryDeps;
  readonly places: RegistryPlaces;
  readonly name: string;
  readonly maxManifestBytes: number;
  readonly isChart: boolean;
}

interface Pull extends Search {
  readonly deps: ImageSourceDeps;
  readonly staging: Staging;
  /** Aborts the signal. */
  readonly stop: AbortController;
}

interface ResolvedImage {
  readonly digest: string;
  /** Of the indexes that led there, and its own. */
  readonly digests: readonly string[];
  readonly layers: readonly Layer[];
  readonly config: Descriptor | undefined;
  readonly chart: ChartLayers | undefined;
}

/** Fetches an image's or artifact's files from its registry, or a mirror of it, into the staging area: layers in order, whiteouts applied, digests
 *  and sizes verified. The answer is the source pinned as `repository@sha256:<manifest digest>`, with its pull secret.
 *  @throws TerminalError ImageDenied, InvalidSource, InvalidSecret, InvalidManifest, LayerTooLarge, Unauthorized, Forbidden, NotFound and
 *  those of `extractArchive`; with `directoryLabel` LabelMissing, DirectoryMissing · TransientError DigestMismatch, SizeMismatch, ServerUnavailable, RateLimited, TransferBroken, DeadlineExceeded, ImagePullBackOff */
export async function fetchImage(
  deps: ImageSourceDeps,
  request: ImageRequest,
  options: FetchOptions,
): Promise<ContentSource> {
  const image = request.source.image;
  if (image === undefined) throw new TerminalError('InvalidSource', 'bundle source image configuration is unset');
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const { search, resolved, rule } = await findImage(deps, request, { ...options, signal, ref: image.ref });
  const { http } = search.deps;
  const pull: Pull = { ...search, deps: { ...deps, http }, staging: request.staging, stop };
  try {
    await fetchContent(pull, request, { resolved, rule, ref: image.ref });
  } catch (thrown) {
    throw http.conceal(thrown);
  }
  return { ...request.source, image: { ...image, ref: `${search.name}@${resolved.digest}` } };
}

async function fetchContent(
  pull: Pull,
  request: ImageRequest,
  found: { readonly resolved: ResolvedImage; readonly rule: ImageRule | undefined; readonly ref: string },
): Promise<void> {
  const { resolved, rule, ref } = found;
  assertLayersAllowed(pull, resolved);
  if (rule !== undefined && request.isKnown !== true) {
    await checkSignatures(pull, rule, { ...request, ref, resolved });
  }
  const { digest, layers, config } = resolved;
  const directory = await directoryOf(pull, request, config);
  const takes = directory === undefined ? request.takes : takesDirectory(directory.path);
  await fetchLayers(pull, layers, takes);
  if (directory !== undefined) moveToDirectory(pull.staging, directory, `${pull.name}@${digest}`);
  if (request.isOperator === true && config !== undefined && (await lacksAnnotations(pull.staging))) {
    await addLabelledAnnotations(pull.staging, await fetchLabels(pull, config));
  }
}

async function directoryOf(
  pull: Pull,
  { directory, directoryLabel }: ImageRequest,
  config: Descriptor | undefined,
): Promise<NamedDirectory | undefined> {
  if (directory !== undefined) return readDirectory(pull.name, directory);
  return directoryLabel === undefined ? undefined : await findDirectory(pull, directoryLabel, config);
}

/** What an image is found by. */
type ImageSearch = Pick<ImageRequest, 'pullSecrets' | 'credentials' | 'mirrors' | 'policy' | 'isChart'>;

/** The digest of what a reference names, which may be an index; with a policy, a required signer must have signed it or what it leads to. No
 *  layers are fetched.
 *  @throws as `fetchImage`, as far as registries and the policy are concerned */
export async function verifyImage(
  deps: RegistryDeps,
  request: ImageSearch & { readonly ref: string },
  options: FetchOptions,
): Promise<string> {
  const { search, resolved, rule } = await findImage(deps, request, { ...options, ref: request.ref });
  if (rule !== undefined) await assertSigned(search, rule, { ...resolved, tag: parseImageReference(request.ref).tag });
  return resolved.digests[0] ?? resolved.digest;
}

/** The image pinned as `repository@sha256:<manifest digest>`; only what is needed to resolve it is fetched.
 *  @throws as `fetchImage`, as far as registries and the policy are concerned */
export async function pinImage(
  deps: RegistryDeps,
  request: ImageSearch & { readonly ref: string },
  options: FetchOptions,
): Promise<string> {
  const { search, resolved } = await findImage(deps, request, { ...options, ref: request.ref });
  return `${search.name}@${resolved.digest}`;
}

/** All labels of an image; its layers are not fetched. What is no text is none.
 *  @throws as `pinImage` */
export async function fetchImageLabels(
  deps: ImageSourceDeps,
  request: ImageSearch & { readonly ref: string },
  options: FetchOptions,
): Promise<Readonly<Record<string, string>>> {
  const { search, resolved } = await findImage(deps, request, { ...options, ref: request.ref });
  const { config } = resolved;
  if (config === undefined) return {};
  const document = await search.places.ask(({ client }) => fetchImageConfig(client, search.name, config));
  const labels = Object.entries(objectAt(document, 'config', 'Labels') ?? {});
  return Object.fromEntries(labels.filter((label): label is [string, string] => typeof label[1] === 'string'));
}

async function findImage(
  shared: RegistryDeps,
  request: ImageSearch & { readonly staging?: Staging },
  { ref, ...options }: FetchOptions & { readonly ref: string },
): Promise<{ readonly search: Search; readonly resolved: ResolvedImage; readonly rule: ImageRule | undefined }> {
  const reference = parseImageReference(ref);
  const name = `${reference.registry}/${reference.repository}`;
  const deps = { ...shared, http: shared.http.apart() };
  const rule = assertAllowed(request.policy, reference);
  const places = openPlaces(deps, { ...request, reference, name }, options);
  const { manifestBytes: maxManifestBytes } = request.staging?.limits ?? defaultContentLimits;
  const search: Search = { ...options, deps, places, name, maxManifestBytes, isChart: request.isChart === true };
  try {
    return { search, resolved: await resolveTag(search, ref, reference), rule };
  } catch (thrown) {
    throw deps.http.conceal(thrown);
  }
}

function openPlaces(
  deps: RegistryDeps,
  request: ImageSearch & { readonly reference: ImageReference; readonly name: string },
  { signal }: FetchOptions,
): RegistryPlaces {
  const keyring = openKeyring(request.pullSecrets);
  const open = (place: PullPlace): OpenPlace => {
    const { registry, repository, mirror } = place;
    const credentials = request.credentials ?? findCredentials(keyring, place);
    const client = new RegistryClient({ ...deps, registry, repository, credentials, signal });
    return { name: `${mirror === undefined ? '' : 'mirror '}${registry}/${repository}`, client };
  };
  const places = pullPlaces(request.mirrors ?? [], request.reference);
  const isSourceBarred = places.every(({ mirror }) => mirror !== undefined);
  return new RegistryPlaces({ name: request.name, places: places.map(open), isSourceBarred, signal });
}

/** An image that is fetched again by its own digest may have been signed as part of an index. */
async function digestsOf(
  pull: Pull,
  { digest, digests }: ResolvedImage,
  firstRef: string | undefined,
): Promise<readonly string[]> {
  if (firstRef === undefined) return digests;
  try {
    const first = await resolveImage(pull, parseImageReference(firstRef));
    return first.digest === digest ? first.digests : digests;
  } catch (thrown) {
    if (thrown instanceof TerminalError || thrown instanceof TransientError) return digests;
    throw thrown;
  }
}

async function checkSignatures(
  pull: Pull,
  rule: ImageRule,
  {
    resolved,
    ref,
    firstRef,
  }: { readonly resolved: ResolvedImage; readonly ref: string; readonly firstRef?: string | undefined },
): Promise<void> {
  if (rule.signedBy.length === 0) return;
  pull.onProgress?.(`verifying signatures of ${pull.name}@${resolved.digest}`);
  const tag = parseImageReference(firstRef ?? ref).tag;
  await assertSigned(pull, rule, { ...resolved, tag, digests: await digestsOf(pull, resolved, firstRef) });
}

/** A missing tag may be pushed later; a missing digest is wrong or was deleted. */
async function resolveTag(pull: Search, ref: string, reference: ImageReference): Promise<ResolvedImage> {
  try {
    return await resolveImage(pull, reference);
  } catch (thrown) {
    const isMissing = thrown instanceof TerminalError && thrown.reason === 'NotFound';
    if (reference.digest !== undefined || !isMissing) throw thrown;
    throw new TransientError(imagePullBackOff, `Back-off pulling image "${ref}"`, { cause: thrown });
  }
}

async function resolveImage(pull: Search, reference: ImageReference): Promise<ResolvedImage> {
  let requested = reference.digest ?? reference.tag ?? 'latest';
  const digests: string[] = [];
  for (let depth = 0; depth <= maxIndexDepth; depth++) {
    pull.onProgress?.(`resolving ${pull.name}, manifest ${requested}`);
    const { document, digest, contentType } = await pull.places.ask(({ client }) =>
      fetchManifest(client, { name: pull.name, reference: requested, maxBytes: pull.maxManifestBytes }),
    );
    const what = `${pull.name}@${digest}`;
    digests.push(digest);
    const parsed = parseImageDocument(what, document, {
      contentType,
      platform: pull.deps.platform,
      isChart: pull.isChart,
    });
    if (parsed.kind === 'image') {
      const { layers, config, chart } = parsed;
      return { digest, digests, layers, config, chart };
    }
    requested = parsed.chosen.digest;
  }
  throw new TerminalError('InvalidManifest', `${pull.name}: indexes nested deeper than ${maxIndexDepth} levels`);
}

function assertLayersAllowed(pull: Pull, { digest, layers }: ResolvedImage): void {
  const what = `${pull.name}@${digest}`;
  if (layers.length > maxLayers) throw new TerminalError('InvalidManifest', `${what}: more than ${maxLayers} layers`);
  const limit = pull.staging.limits.compressedLayerBytes;
  const large = layers.find((layer) => layer.sizeBytes > limit);
  if (large !== undefined) {
    const text = `${what}: layer ${large.digest}: ${large.sizeBytes} bytes, more than the limit of ${limit} bytes`;
    throw new TerminalError('LayerTooLarge', text);
  }
  const sizeBytes = layers.reduce((sum, layer) => sum + layer.sizeBytes, 0);
  const limitBytes = pull.staging.maxStreamedBytes;
  if (sizeBytes <= limitBytes) return;
  throw new TerminalError(
    'ImageTooLarge',
    `${what}: layers of ${sizeBytes} bytes, more than the limit of ${limitBytes} bytes`,
  );
}

/** Adds the layers in order while later ones are fetched. When one fails nothing of it runs on: neither transfers, which may be as slow as a registry
 *  likes, nor writes to the staging area. */
async function fetchLayers(pull: Pull, layers: readonly Layer[], takes: ImageRequest['takes']): Promise<void> {
  const fetches = layers.map(() => Promise.withResolvers<string>());
  for (const { promise } of fetches) promise.catch(() => undefined);
  const obtained: Promise<string>[] = [];
  const download = mapLimit(layers, layersAtATime, async (layer, index) => {
    try {
      const path = obtainLayer(pull, layer);
      obtained.push(path);
      fetches[index]?.resolve(await path);
    } catch (thrown) {
      for (const { reject } of fetches) reject(thrown);
      throw thrown;
    }
  });
  const paths = fetches.map(({ promise }) => promise);
  const extraction = addLayers(pull, layers, { paths, takes });
  try {
    await Promise.all([download, extraction]);
  } catch (thrown) {
    pull.stop.abort(new Error(`${pull.name}: another layer failed`));
    await Promise.allSettled([extraction, download, ...obtained]);
    throw thrown;
  }
}

async function addLayers(
  { staging, name, signal }: Pull,
  layers: readonly Layer[],
  { paths, takes }: { readonly paths: readonly Promise<string>[]; readonly takes: ImageRequest['takes'] },
): Promise<void> {
  for (const [index, layer] of layers.entries()) {
    const path = (await paths[index]) ?? '';
    await addLayer(staging, layer, { path, what: `${name}, layer ${layer.digest}`, takes, signal });
  }
  staging.assertLinksInside(name);
}

async function fetchLabels(pull: Pull, config: Descriptor): Promise<BundleLabels> {
  return labelsOf(await pull.places.ask(({ client }) => fetchImageConfig(client, pull.name, config)));
}

async function obtainLayer(pull: Pull, layer: Layer): Promise<string> {
  const what = `${pull.name}, layer ${layer.digest}`;
  const { signal, staging } = pull;
  const onBytes = (sizeBytes: number): void => staging.takeDisk(sizeBytes);
  return await pull.places.ask(({ client }) => {
    // What one registry has given is no answer to what is asked of another, which may name any digest.
    const access = { origin: client.host, mayRead: () => client.mayRead(layer), signal };
    return pull.deps.cache.obtain(layer, access, async (part) => {
      pull.onProgress?.(`fetching ${what}, ${layer.sizeBytes} bytes`);
      await fetchBlob(client, part, { what, signal, onBytes });
    });
  });
}
