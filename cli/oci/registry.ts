import { arch } from 'node:process';
import { parseImageReference } from '../../src/api/index.ts';
import { readProxySettings, systemClock, TransientError } from '../../src/base/index.ts';
import { createLocks, type Staging } from '../../src/content/index.ts';
import type { ImagePolicy } from '../../src/image-policy/index.ts';
import {
  createHttpClient,
  type FoundCredentials,
  fetchImage,
  fetchImageLabels,
  fetchImagePlatforms,
  type HttpClient,
  type ImageSourceDeps,
  imagePullBackOff,
  LayerCache,
  type Platform,
  parsePlatform,
  pushImage,
  RateLimits,
  verifyImage,
} from '../../src/sources/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { readAuthorities, type WorkFolder } from '../input/index.ts';
import type { Progress } from '../output/index.ts';
import type { BundleImage } from './bundle-image.ts';
import { findLogin, loginFile } from './registry-login.ts';

type Values = OptionValues<typeof registryOptions>;

const answerDeadlineMs = 30_000;

/** What a transfer needs; `values` are those of the registry's options. */
export interface Transfer {
  readonly values: Values;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

interface Registry {
  readonly http: HttpClient;
  readonly clock: typeof systemClock;
  readonly insecureRegistries: readonly string[];
  readonly credentials: FoundCredentials;
}

async function openRegistry(ref: string, { values }: Transfer): Promise<Registry & Disposable> {
  const image = parseImageReference(ref);
  const credentials = await findLogin(loginFile(values['auth-file'], process.env), image);
  const caPem = await readAuthorities(values['registry-ca']);
  const http = createHttpClient({ caPem, proxies: readProxySettings(process.env), answerDeadlineMs });
  const insecureRegistries = values['insecure-registry'];
  return { http, clock: systemClock, insecureRegistries, credentials, [Symbol.dispose]: () => http[Symbol.dispose]() };
}

/** Pushes an image and reports progress. The answer is `registry/repository@digest`.
 *  @throws as `pushImage` and `findLogin` */
export async function pushTo(ref: string, image: BundleImage, transfer: Transfer): Promise<string> {
  using registry = await openRegistry(ref, transfer);
  const { progress, signal } = transfer;
  const { mediaType, digest, blobs } = image;
  const request = {
    reference: parseImageReference(ref),
    manifest: { mediaType, digest, bytes: image.manifest },
    blobs,
  };
  return await pushImage(registry, request, {
    signal,
    onBlob: (blob, sentBytes, isThere) => {
      if (isThere) progress.finish(`${blob.digest} is there already`);
      else
        progress.show(`pushing ${blob.digest.slice(0, 19)}`, { done: sentBytes, total: blob.sizeBytes, unit: 'bytes' });
    },
  });
}

function ownPlatform(): Platform {
  return parsePlatform(`linux/${arch === 'x64' ? 'amd64' : arch}`);
}

function imageDeps(registry: Registry, work: WorkFolder): ImageSourceDeps {
  const platform = ownPlatform();
  const maxBytes = Number.MAX_SAFE_INTEGER;
  const cache = new LayerCache({ dir: `${work.path}/layers`, maxBytes, locks: createLocks() });
  return { ...registry, cache, limits: new RateLimits(systemClock), platform };
}

/** A provisioner requeues; here a user waits for the result. */
function withoutPatience(thrown: unknown): unknown {
  const isMissing = thrown instanceof TransientError && thrown.reason === imagePullBackOff;
  return isMissing ? thrown.cause : thrown;
}

/** Fetches an image's files, as they are or, of an operator, with what its labels add; with `directory` those of that directory, with
 *  `directoryLabel` those of the directory that the label names. The answer is its digest.
 *  @throws as `fetchImage` and `findLogin` */
export async function pullInto(
  staging: Staging,
  ref: string,
  transfer: Transfer & {
    readonly work: WorkFolder;
    readonly isOperator?: boolean;
    readonly directory?: string;
    readonly directoryLabel?: string;
    readonly takes?: ((path: readonly string[]) => boolean) | undefined;
  },
): Promise<string> {
  using registry = await openRegistry(ref, transfer);
  const { work, progress, signal } = transfer;
  const source = { type: 'image', image: { ref } };
  const onProgress = (line: string): void => progress.show(line);
  try {
    const { credentials } = registry;
    const { isOperator, directory, directoryLabel, takes } = transfer;
    const request = { source, credentials, isOperator, isChart: true, directory, directoryLabel, takes, staging };
    const pinned = await fetchImage(imageDeps(registry, work), request, { signal, onProgress });
    return parseImageReference(pinned.image?.ref ?? '').digest ?? '';
  } catch (thrown) {
    throw withoutPatience(thrown);
  }
}

/** All labels of an image; its layers are not fetched.
 *  @throws as `fetchImageLabels` and `findLogin` */
export async function labelsIn(
  ref: string,
  transfer: Transfer & { readonly work: WorkFolder },
): Promise<Readonly<Record<string, string>>> {
  using registry = await openRegistry(ref, transfer);
  const { credentials } = registry;
  const deps = imageDeps(registry, transfer.work);
  try {
    return await fetchImageLabels(deps, { ref, credentials }, { signal: transfer.signal });
  } catch (thrown) {
    throw withoutPatience(thrown);
  }
}

/** The digest of what a reference names; with a policy, its signatures are verified. No layers are fetched.
 *  @throws as `verifyImage` and `findLogin` */
export async function digestOf(ref: string, policy: ImagePolicy | undefined, transfer: Transfer): Promise<string> {
  using registry = await openRegistry(ref, transfer);
  const { credentials } = registry;
  const deps = { ...registry, limits: new RateLimits(systemClock), platform: ownPlatform() };
  try {
    return await verifyImage(deps, { ref, credentials, policy }, { signal: transfer.signal });
  } catch (thrown) {
    throw withoutPatience(thrown);
  }
}

/** What platforms an image is there for; its layers are not fetched.
 *  @throws as `fetchImagePlatforms` and `findLogin` */
export async function platformsIn(ref: string, transfer: Transfer): Promise<readonly Platform[]> {
  using registry = await openRegistry(ref, transfer);
  const deps = { ...registry, limits: new RateLimits(systemClock) };
  return await fetchImagePlatforms(deps, parseImageReference(ref), { signal: transfer.signal });
}
