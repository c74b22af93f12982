import type { Readable } from 'node:stream';
import { type ImageReference, parseImageReference } from '../api/index.ts';
import {
  type Clock,
  defaultContentLimits,
  isJsonObject,
  isSha256Digest,
  type JsonObject,
  objectAt,
  objectsAt,
  sha256Digest,
  TerminalError,
  textAt,
} from '../base/index.ts';
import { bundleManifestsIn, maxSignatures, signatureTag } from '../image-policy/index.ts';
import { fetchBlob } from './blob-transfer.ts';
import type { Descriptor } from './descriptor.ts';
import type { HttpClient } from './http-client.ts';
import { manifestAccept } from './image-manifest.ts';
import { isThere, type Push, pushBlob, putManifest } from './image-push.ts';
import { fetchManifest } from './manifest-fetch.ts';
import { PartialBlob } from './partial-blob.ts';
import type { FoundCredentials } from './pull-credentials.ts';
import { RateLimits } from './rate-limits.ts';
import { fetchReferrers, referrersTag } from './referrers.ts';
import { RegistryClient } from './registry-client.ts';
import { withRetries } from './retry.ts';

/** A manifest or an index, byte for byte, and what it refers to. */
export interface ImageManifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** Manifests of an index. */
  readonly manifests: readonly Descriptor[];
  /** The configuration and the layers. */
  readonly blobs: readonly Descriptor[];
}

export interface ImageRepositoryOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly insecureRegistries: readonly string[];
  readonly credentials: FoundCredentials;
  readonly signal: AbortSignal;
}

const maxReferences = 1000;
const indexType = 'application/vnd.oci.image.index.v1+json';

function descriptorOf(what: string, value: JsonObject): Descriptor {
  const { digest, size } = value;
  const isWhole = typeof digest === 'string' && isSha256Digest(digest) && Number.isSafeInteger(size);
  if (isWhole && typeof size === 'number' && size >= 0) return { digest, sizeBytes: size };
  throw new TerminalError('InvalidManifest', `${what}: expected a sha256 digest and a size in a descriptor`);
}

/** What a manifest or an index refers to; `what` is for messages.
 *  @throws TerminalError InvalidManifest */
export function readImageManifest(
  what: string,
  { document, bytes, digest, contentType }: Awaited<ReturnType<typeof fetchManifest>>,
): ImageManifest {
  if (!isJsonObject(document)) throw new TerminalError('InvalidManifest', `${what}: expected a manifest`);
  const config = objectAt(document, 'config');
  const found = [...(config === undefined ? [] : [config]), ...objectsAt(document, 'layers')];
  const children = objectsAt(document, 'manifests');
  if (found.length + children.length > maxReferences)
    throw new TerminalError('InvalidManifest', `${what}: more than ${maxReferences} references`);
  const declared = textAt(document, 'mediaType');
  const mediaType = declared === '' ? (contentType?.split(';')[0]?.trim() ?? '') : declared;
  if (mediaType === '') throw new TerminalError('InvalidManifest', `${what}: it has no media type`);
  const all = (values: readonly JsonObject[]): Descriptor[] => values.map((value) => descriptorOf(what, value));
  return { digest, mediaType, bytes, manifests: all(children), blobs: all(found) };
}

/** A manifest that has a tag. */
export interface TaggedManifest {
  readonly tag: string;
  readonly manifest: ImageManifest;
}

async function unlessNotFound<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof TerminalError && thrown.reason === 'NotFound') return undefined;
    throw thrown;
  }
}

/** A repository of a registry, whose images are copied as they are: digests stay the same. Methods throw what `RegistryClient` throws. */
export class ImageRepository {
  readonly #push: Push;
  readonly #reference: ImageReference;

  /** `name` is the repository, as `registry/repository`; with `access` of `pull,push` it can be written to. */
  constructor(name: string, access: 'pull' | 'pull,push', options: ImageRepositoryOptions) {
    const { signal, clock } = options;
    this.#reference = parseImageReference(name);
    const { registry, repository } = this.#reference;
    const limits = new RateLimits(clock);
    const client = new RegistryClient({ ...options, registry, repository, access, limits });
    this.#push = { client, clock, signal, name: `${registry}/${repository}` };
  }

  get name(): string {
    return this.#push.name;
  }

  /** The manifest with a tag or digest. */
  async manifest(reference: string): Promise<ImageManifest> {
    const { client, name } = this.#push;
    const { manifestBytes: maxBytes } = defaultContentLimits;
    return readImageManifest(
      `${name}, manifest ${reference}`,
      await fetchManifest(client, { name, reference, maxBytes }),
    );
  }

  /** The signatures of an image that cosign has attached to it: each is an image with a tag of its own.
   *  @see docs/image-policy.md */
  async signatures(digest: string): Promise<readonly TaggedManifest[]> {
    const found = [await this.#tagged(signatureTag(digest)), await this.#bundles(digest)];
    return found.filter((one) => one !== undefined);
  }

  async #tagged(tag: string): Promise<TaggedManifest | undefined> {
    const manifest = await unlessNotFound(() => this.manifest(tag));
    return manifest && { tag, manifest };
  }

  /** Of all that is attached the signatures alone, in an index as registries without referrers have it. */
  async #bundles(digest: string): Promise<TaggedManifest | undefined> {
    const { client, name } = this.#push;
    const { manifestBytes: maxBytes } = defaultContentLimits;
    const index = await unlessNotFound(() => fetchReferrers(client, { name, maxBytes }, digest));
    if (index === undefined || !isJsonObject(index.document)) return undefined;
    const bundles = new Set(bundleManifestsIn(index.document, maxSignatures));
    if (bundles.size === 0) return undefined;
    const manifests = objectsAt(index.document, 'manifests').filter((one) => bundles.has(textAt(one, 'digest')));
    const document = { schemaVersion: 2, mediaType: indexType, manifests };
    const bytes = Buffer.from(JSON.stringify(document));
    const what = `${name}, signatures of ${digest}`;
    const manifest = readImageManifest(what, { document, bytes, digest: sha256Digest(bytes), contentType: indexType });
    return { tag: referrersTag(digest), manifest };
  }

  async hasManifest(digest: string): Promise<boolean> {
    const headers = { accept: manifestAccept };
    const order = { method: 'HEAD', path: `manifests/${digest}`, headers, statuses: [200, 404] } as const;
    return await withRetries(this.#push, () =>
      this.#push.client.order(order, (response) => {
        response.body.destroy();
        return Promise.resolve(response.status === 200);
      }),
    );
  }

  async hasBlob(digest: string): Promise<boolean> {
    return await withRetries(this.#push, () => isThere(this.#push, { digest }));
  }

  /** Fetches a blob to `path`, verified; what has come of it when it breaks off stays there for the next try. */
  async fetchBlob(blob: Descriptor, path: string): Promise<void> {
    const { client, name, signal } = this.#push;
    await fetchBlob(client, new PartialBlob(path, blob), { what: `${name}, blob ${blob.digest}`, signal });
  }

  async pushBlob(blob: Descriptor & { readonly open: () => Readable }): Promise<void> {
    await pushBlob(this.#push, blob);
  }

  /** Writes a manifest whose blobs are there, under its digest and, where one is given, a tag. */
  async pushManifest({ mediaType, bytes, digest }: ImageManifest, tag: string | undefined): Promise<void> {
    const { registry, repository } = this.#reference;
    const reference = { registry, repository, ...(tag === undefined ? {} : { tag }) };
    const manifest = { mediaType, bytes, digest };
    await withRetries(this.#push, () => putManifest(this.#push, { reference, manifest }));
  }
}
