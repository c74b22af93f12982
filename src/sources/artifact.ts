import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type Clock,
  isJsonObject,
  isSha256Digest,
  type JsonObject,
  type JsonValue,
  parseJson,
  sha256Digest,
  TerminalError,
  TransientError,
  verifyStream,
  withDeadline,
} from '../base/index.ts';
import { fetchBlob } from './blob-transfer.ts';
import type { Descriptor } from './descriptor.ts';
import { type HttpClient, type HttpRequest, type HttpResponse, readBody } from './http-client.ts';
import { fetchImageConfig } from './image-config.ts';
import { type PushBlob, pushImage } from './image-push.ts';
import { fetchManifest } from './manifest-fetch.ts';
import { PartialBlob } from './partial-blob.ts';
import type { FoundCredentials } from './pull-credentials.ts';
import type { RateLimits } from './rate-limits.ts';
import { RegistryClient } from './registry-client.ts';
import { withRetries } from './retry.ts';

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const maxManifestBytes = 1024 * 1024;
const maxAnswerBytes = 4 * 1024 * 1024;
const tagsAPage = 1000;
const maxTagPages = 1000;
/** Of all pages together. */
const maxTagBytes = 64 * 1024 * 1024;
const tagsDeadlineMs = 5 * 60_000;

/** One file in a registry, and a small document about it. */
export interface Artifact {
  readonly artifactType: string;
  readonly config: JsonObject;
  readonly file: Descriptor;
}

/** What is to be pushed. */
export interface ArtifactContent {
  readonly artifactType: string;
  readonly configType: string;
  readonly config: JsonObject;
  readonly file: { readonly path: string; readonly mediaType: string; readonly title: string };
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ArtifactRepositoryOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly limits: RateLimits;
  readonly insecureRegistries: readonly string[];
  readonly registry: string;
  readonly repository: string;
  /** Asked before each use: logins change. */
  readonly readCredentials: () => Promise<FoundCredentials>;
}

interface Waiting {
  readonly signal: AbortSignal;
}

async function emptied(response: HttpResponse, request: HttpRequest): Promise<HttpResponse> {
  await readBody(request, response, maxAnswerBytes);
  return response;
}

function descriptorOf(what: string, value: JsonValue | undefined): Descriptor {
  const { digest, size } = isJsonObject(value) ? value : {};
  const isWhole =
    typeof digest === 'string' && isSha256Digest(digest) && typeof size === 'number' && Number.isSafeInteger(size);
  if (isWhole && size >= 0) return { digest, sizeBytes: size };
  throw new TerminalError('InvalidManifest', `${what}: expected a sha256 digest and a size in a descriptor`);
}

/** The file as a blob that can be pushed. */
async function fileBlob(path: string, { signal }: Waiting): Promise<PushBlob> {
  let digest = '';
  let sizeBytes = 0;
  const check = verifyStream({ what: path, maxBytes: Number.POSITIVE_INFINITY, onDigest: (got) => (digest = got) });
  check.on('data', (piece: Buffer) => {
    sizeBytes += piece.length;
  });
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), check, { signal });
  return { digest, sizeBytes, open: () => createReadStream(path) };
}

/** `link: </v2/…?last=x>; rel="next"` */
function nextPage(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header.join(',') : header;
  return /<([^<>]+)>\s*;\s*rel="?next"?/i.exec(text ?? '')?.[1];
}

/** Files in one repository of a registry, each with a small document about it, as OCI artifacts of one layer.
 *  Methods throw what `pushImage` and `RegistryClient` throw.
 *  @see OCI image-spec 1.1, "Guidelines for Artifact Usage"; distribution-spec 1.1, "Content Management" */
export class ArtifactRepository {
  readonly #options: ArtifactRepositoryOptions;
  /** `registry/repository` */
  readonly name: string;

  constructor(options: ArtifactRepositoryOptions) {
    this.#options = options;
    this.name = `${options.registry}/${options.repository}`;
  }

  async #client({ signal }: Waiting): Promise<RegistryClient> {
    const { readCredentials, ...rest } = this.#options;
    return new RegistryClient({ ...rest, access: 'pull,push', credentials: await readCredentials(), signal });
  }

  /** Pushes under a tag, in place of what had it; the answer is the manifest's digest. */
  async push(tag: string, content: ArtifactContent, options: Waiting): Promise<string> {
    const { artifactType, configType, annotations, file } = content;
    const bytes = Buffer.from(JSON.stringify(content.config));
    const config = { digest: sha256Digest(bytes), sizeBytes: bytes.length, open: () => Readable.from([bytes]) };
    const layer = await fileBlob(file.path, options);
    const describe = (mediaType: string, { digest, sizeBytes: size }: PushBlob): JsonObject => {
      return { mediaType, digest, size };
    };
    const title = { 'org.opencontainers.image.title': file.title };
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: manifestType,
        artifactType,
        config: describe(configType, config),
        layers: [{ ...describe(file.mediaType, layer), annotations: title }],
        annotations,
      }),
    );
    const { registry, repository, readCredentials } = this.#options;
    const digest = sha256Digest(manifest);
    const request = {
      reference: { registry, repository, tag },
      manifest: { mediaType: manifestType, bytes: manifest, digest },
      blobs: [config, layer],
    };
    await pushImage({ ...this.#options, credentials: await readCredentials() }, request, options);
    return digest;
  }

  /** The artifact that the manifest of that digest describes; verified. */
  async find(reference: string, options: Waiting): Promise<Artifact> {
    const client = await this.#client(options);
    const { document } = await fetchManifest(client, { name: this.name, reference, maxBytes: maxManifestBytes });
    const what = `${this.name}@${reference}`;
    const { artifactType, config, layers } = isJsonObject(document) ? document : {};
    if (typeof artifactType !== 'string' || !Array.isArray(layers) || layers.length !== 1) {
      throw new TerminalError('InvalidManifest', `${what}: expected an artifact of one layer`);
    }
    const content = await fetchImageConfig(client, this.name, descriptorOf(what, config));
    return { artifactType, config: content, file: descriptorOf(what, layers[0]) };
  }

  /** Fetches a file to `path`, verified; what has come of it when it breaks off stays there for the next try. */
  async fetchFile(file: Descriptor, path: string, options: Waiting): Promise<void> {
    const what = `${this.name}, blob ${file.digest}`;
    await fetchBlob(await this.#client(options), new PartialBlob(path, file), { what, ...options });
  }

  /** Deletes what a tag or digest names, if there is anything.
   *  @throws TerminalError DeletionUnsupported when the registry deletes nothing */
  async remove(reference: string, options: Waiting): Promise<void> {
    const client = await this.#client(options);
    const headers = { accept: manifestType };
    const head = { method: 'HEAD', path: `manifests/${reference}`, headers, statuses: [200, 404] } as const;
    const found = await this.#retried(options, () => client.order(head, emptied));
    const digest = found.headers['docker-content-digest'];
    if (found.status === 404) return;
    if (typeof digest !== 'string' || !isSha256Digest(digest)) {
      throw new TransientError(
        'UnexpectedAnswer',
        `${this.name}:${reference}: the registry does not report its digest`,
      );
    }
    const statuses = [200, 202, 204, 404, 400, 405];
    const deletion = { method: 'DELETE', path: `manifests/${digest}`, headers: {}, statuses } as const;
    const { status } = await this.#retried(options, () => client.order(deletion, emptied));
    if (status !== 400 && status !== 405) return;
    const text = `${this.name}@${digest} was not deleted: the registry answers deletions with ${status}; enable deletion in the registry, or delete it there`;
    throw new TerminalError('DeletionUnsupported', text);
  }

  /** All tags that begin with `prefix`, of as many as there is room for: 1,000 pages, 64 MiB. The rest is found when some of these are deleted.
   *  @throws TransientError DeadlineExceeded */
  async tags(prefix: string, { signal }: Waiting): Promise<readonly string[]> {
    const limits = { deadlineMs: tagsDeadlineMs, signal };
    return await withDeadline(`${this.name}, tags`, limits, (whole) => this.#tags(prefix, { signal: whole }));
  }

  async #tags(prefix: string, options: Waiting): Promise<readonly string[]> {
    const client = await this.#client(options);
    const found: string[] = [];
    let leftBytes = maxTagBytes;
    let path: string | undefined = `tags/list?n=${tagsAPage}`;
    for (let page = 0; path !== undefined && page < maxTagPages && leftBytes > 0; page += 1) {
      path = await client.get(path, { headers: () => ({}), statuses: [200, 404] }, async (response, request) => {
        const body = await readBody(request, response, maxAnswerBytes);
        leftBytes -= body.length;
        // A repository that nothing was pushed to yet.
        if (response.status === 404) return undefined;
        const document = parseJson(`${this.name}, tags`, body.toString());
        const tags = isJsonObject(document) && Array.isArray(document['tags']) ? document['tags'] : [];
        for (const tag of tags) if (typeof tag === 'string' && tag.startsWith(prefix)) found.push(tag);
        return nextPage(response.headers['link']);
      });
    }
    return found;
  }

  async #retried<T>({ signal }: Waiting, work: () => Promise<T>): Promise<T> {
    return await withRetries({ clock: this.#options.clock, signal }, work);
  }
}
