import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type ImageReference, parseImageReference } from '../api/index.ts';
import {
  type Clock,
  errorMessage,
  isSha256Digest,
  type JsonValue,
  mapLimit,
  parseJson,
  sha256Digest,
  TerminalError,
  TransientError,
} from '../base/index.ts';
import { extractArchive, type Staging } from '../content/index.ts';
import { failure, type HttpClient, readBody } from './http-client.ts';
import { type Descriptor, manifestAccept, type Platform, parseImageDocument } from './image-manifest.ts';
import { type LayerCache, saveVerified } from './layer-cache.ts';
import { pullCredentials } from './registry-auth.ts';
import { RegistryClient } from './registry-client.ts';
import type { ContentSource, FetchOptions, SourceSecret } from './source.ts';

const maxIndexDepth = 3;
const layersAtATime = 3;
const maxLayers = 1000;

export interface ImageSourceDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly cache: LayerCache;
  readonly insecureRegistries: readonly string[];
  readonly platform: Platform;
}

interface Pull extends FetchOptions {
  readonly deps: ImageSourceDeps;
  readonly client: RegistryClient;
  readonly name: string;
  readonly staging: Staging;
}

/** Fetches an image's files from its registry into the staging area: layers in order, whiteouts applied, digests and sizes verified.
 *  The answer is the source pinned as `repository@sha256:<manifest digest>`, with its pull secret.
 *  @throws TerminalError InvalidSource, InvalidManifest, DigestMismatch, SizeMismatch, LayerTooLarge and those of `extractArchive`
 *  · TransientError ServerUnavailable, Unauthorized, NotFound, DeadlineExceeded */
export async function fetchImage(
  deps: ImageSourceDeps,
  request: { readonly source: ContentSource; readonly secret?: SourceSecret | undefined; readonly staging: Staging },
  options: FetchOptions,
): Promise<ContentSource> {
  const image = request.source.image;
  if (image === undefined) throw new TerminalError('InvalidSource', 'bundle source image configuration is unset');
  const reference = parseImageReference(image.ref);
  const { registry, repository } = reference;
  const credentials = pullCredentials(request.secret, reference);
  const { http, clock, insecureRegistries } = deps;
  const client = new RegistryClient({
    http,
    clock,
    registry,
    repository,
    credentials,
    insecureRegistries,
    signal: options.signal,
  });
  const pull: Pull = { ...options, deps, client, name: `${registry}/${repository}`, staging: request.staging };
  const { digest, layers } = await resolveImage(pull, reference);
  await fetchLayers(pull, layers);
  return { ...request.source, image: { ...image, ref: `${pull.name}@${digest}` } };
}

async function resolveImage(
  pull: Pull,
  reference: ImageReference,
): Promise<{ digest: string; layers: readonly Descriptor[] }> {
  let wanted = reference.digest ?? reference.tag ?? 'latest';
  for (let depth = 0; depth <= maxIndexDepth; depth++) {
    pull.onProgress?.(`resolving ${pull.name}, manifest ${wanted}`);
    const { document, digest, contentType } = await fetchManifest(pull, wanted);
    const what = `${pull.name}@${digest}`;
    const parsed = parseImageDocument(what, document, { contentType, platform: pull.deps.platform });
    if (parsed.kind === 'image') return { digest, layers: assertLayersAllowed(pull, what, parsed.layers) };
    wanted = parsed.chosen.digest;
  }
  throw new TerminalError('InvalidManifest', `${pull.name}: indexes nested deeper than ${maxIndexDepth} levels`);
}

function assertLayersAllowed(pull: Pull, what: string, layers: readonly Descriptor[]): readonly Descriptor[] {
  if (layers.length > maxLayers) throw new TerminalError('InvalidManifest', `${what}: more than ${maxLayers} layers`);
  const limit = pull.staging.limits.compressedLayerBytes;
  const large = layers.find((layer) => layer.sizeBytes > limit);
  if (large === undefined) return layers;
  throw new TerminalError(
    'LayerTooLarge',
    `${what}: layer ${large.digest}: ${large.sizeBytes} bytes, more than the limit of ${limit} bytes`,
  );
}

async function fetchManifest(
  pull: Pull,
  wanted: string,
): Promise<{ document: JsonValue; digest: string; contentType: string | undefined }> {
  return await pull.client.get(`manifests/${wanted}`, manifestAccept, async (response, request) => {
    const body = await readBody(request, response, pull.staging.limits.manifestBytes);
    const digest = sha256Digest(body);
    const what = `${pull.name}, manifest ${wanted}`;
    const promised = wanted.includes(':') ? wanted : response.headers['docker-content-digest'];
    if (typeof promised === 'string' && isSha256Digest(promised) && promised !== digest) {
      throw new TerminalError('DigestMismatch', `${what}: expected digest ${promised}, got ${digest}`);
    }
    if (wanted.includes(':') && !isSha256Digest(wanted)) {
      throw new TerminalError('InvalidSource', `${what}: only sha256 digests are supported`);
    }
    return { document: parseJson(what, body.toString()), digest, contentType: response.headers['content-type'] };
  });
}

async function fetchLayers(pull: Pull, layers: readonly Descriptor[]): Promise<void> {
  const fetches = layers.map(() => Promise.withResolvers<string>());
  for (const { promise } of fetches) promise.catch(() => undefined);
  const download = mapLimit(layers, layersAtATime, async (layer, index) => {
    try {
      fetches[index]?.resolve(await obtainLayer(pull, layer));
    } catch (thrown) {
      for (const { reject } of fetches) reject(thrown);
      throw thrown;
    }
  });
  const extract = async (): Promise<void> => {
    for (const [index, layer] of layers.entries()) {
      const path = await fetches[index]?.promise;
      const source = createReadStream(path ?? '', { highWaterMark: 256 * 1024 });
      const what = `${pull.name}, layer ${layer.digest}`;
      await extractArchive(source as AsyncIterable<Buffer>, pull.staging, {
        what,
        hasWhiteouts: true,
        signal: pull.signal,
      });
    }
    pull.staging.assertLinksInside(pull.name);
  };
  await Promise.all([download, extract()]);
}

async function obtainLayer(pull: Pull, layer: Descriptor): Promise<string> {
  return await pull.deps.cache.obtain(layer, pull, async (path) => {
    pull.onProgress?.(`fetching ${pull.name}, layer ${layer.digest}, ${layer.sizeBytes} bytes`);
    await pull.client.get(`blobs/${layer.digest}`, '*/*', async (response, request) => {
      const what = `${pull.name}, layer ${layer.digest}`;
      const maxBytes = pull.staging.limits.compressedLayerBytes;
      try {
        await saveVerified(response.body, path, { what, layer, maxBytes, signal: pull.signal });
      } catch (thrown) {
        await rm(path, { force: true });
        throw transferError(what, failure(request, thrown));
      }
    });
  });
}

/** A body that ended early may be whole the next time; one with other bytes is a lie. */
function transferError(what: string, thrown: unknown): unknown {
  if (!(thrown instanceof TransientError) || thrown.reason !== 'ServerUnavailable') return thrown;
  return new TransientError(
    'TransferBroken',
    `${what}: the transfer broke off: ${errorMessage(thrown.cause ?? thrown)}`,
    { cause: thrown },
  );
}
